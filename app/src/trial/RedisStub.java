import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Answers as an empty Redis would, so that the trial run behind the start-up cache connects and
 * reads. Run from its source by {@code ./parley}; it prints its port and lives until it is killed.
 */
final class RedisStub {
    private static final String HELLO =
            "%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.0.0\r\n$5\r\nproto\r\n:3\r\n"
                    + "$2\r\nid\r\n:1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n$4\r\nrole\r\n$6\r\nmaster\r\n"
                    + "$7\r\nmodules\r\n*0\r\n";

    private RedisStub() {}

    public static void main(String[] arguments) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            System.out.println("port " + server.getLocalPort());
            while (true) {
                Socket client = server.accept();
                Thread.ofVirtual().start(() -> serve(client));
            }
        }
    }

    private static void serve(Socket client) {
        try (client) {
            InputStream in = new BufferedInputStream(client.getInputStream());
            OutputStream out = client.getOutputStream();
            while (true) {
                out.write(reply(command(in)).getBytes(StandardCharsets.US_ASCII));
            }
        } catch (IOException _) {
            // It has left.
        }
    }

    /** Reads a command and answers its name. */
    private static String command(InputStream in) throws IOException {
        int words = Integer.parseInt(line(in).substring(1));
        String name = "";
        for (int i = 0; i < words; i++) {
            byte[] word = in.readNBytes(Integer.parseInt(line(in).substring(1)));
            var _ = line(in);
            if (i == 0) {
                name = new String(word, StandardCharsets.US_ASCII);
            }
        }
        return name.toUpperCase(Locale.ROOT);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException();
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private static String reply(String command) {
        return switch (command) {
            case "HELLO" -> HELLO;
            case "PING" -> "+PONG\r\n";
            case "CLIENT", "SELECT", "SET" -> "+OK\r\n";
            case "GETRANGE" -> "$0\r\n\r\n";
            case "EVAL" -> ":1\r\n";
            default -> "-ERR unknown command\r\n";
        };
    }
}
