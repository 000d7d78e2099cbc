package dev.parley.e2e.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Two network namespaces, one for a client behind a NAT and one for a server, and the link between
 * them. Nothing else reaches them, and they reach nothing else. Closing it removes all of it; what
 * a killed process left behind goes when the next lab is made. Owned by one test or drill.
 *
 * <pre>{@code
 * try (Lab lab = Lab.start(LinkProfile.CLEAR.delay(100, 30).loss(0.05), 1)) {
 *     Process server = new ProcessBuilder(lab.inServer("my-server", lab.serverAddress())).start();
 *     Process client = new ProcessBuilder(lab.inClient("my-client", lab.serverAddress())).start();
 *     lab.link().rebindPorts();
 * }
 * }</pre>
 */
public final class Lab implements AutoCloseable {
    // RFC 2544: 198.18.0.0/15 is for tests of network devices and routed nowhere.
    private static final String CLIENT = "198.18.1.2";
    private static final String SERVER = "198.18.2.2";
    private static final int FIRST_PUBLIC = 0xC612_0300;
    private static final Path NAMED = Path.of("/run/netns");
    private static final Pattern NAME = Pattern.compile("parley(\\d{1,9})-.*");
    private static final long COMMAND_SECONDS = 10;
    static final AtomicInteger COUNT = new AtomicInteger();

    private final String clientSpace;
    private final String serverSpace;
    private final List<String> spaces = new ArrayList<>();
    private final LinkEmulator link;
    private int publicAddresses = 1;

    private Lab(LinkProfile profile, long seed) throws IOException {
        removeLeftOvers();
        String name = "parley" + ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
        clientSpace = name + "-client";
        serverSpace = name + "-server";
        List<Tun> devices = new ArrayList<>();
        try {
            devices.add(space(clientSpace, CLIENT, "plc" + COUNT.get()));
            devices.add(space(serverSpace, SERVER, "pls" + COUNT.get()));
        } catch (IOException | RuntimeException e) {
            devices.forEach(Tun::close);
            removeSpaces();
            throw e;
        }
        link =
                new LinkEmulator(
                        devices.getFirst(), devices.getLast(), FIRST_PUBLIC + 1, profile, seed);
    }

    /**
     * Makes the namespaces and the link.
     *
     * @param profile of both directions at first
     * @param seed of everything that the link does
     * @throws IllegalStateException where that is not possible; see {@link #obstacle}
     */
    public static Lab start(LinkProfile profile, long seed) {
        Optional<String> obstacle = obstacle();
        if (obstacle.isPresent()) {
            throw new IllegalStateException(obstacle.get());
        }
        try {
            return new Lab(profile, seed);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Why there can be no lab on this machine, for this user; empty when there can. */
    public static Optional<String> obstacle() {
        if (!System.getProperty("os.name").equals("Linux")) {
            return Optional.of("network namespaces need Linux");
        }
        if (!Files.isWritable(Path.of("/dev/net/tun"))) {
            return Optional.of("/dev/net/tun is not there or not writable");
        }
        String probe = "parley-probe" + ProcessHandle.current().pid();
        try {
            run("ip", "netns", "add", probe);
            run("ip", "netns", "del", probe);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("network namespaces need root and iproute2: " + e.getMessage());
        }
    }

    private Tun space(String name, String address, String device) throws IOException {
        run("ip", "netns", "add", name);
        spaces.add(name);
        Tun tun = new Tun(device);
        try {
            run("ip", "link", "set", device, "netns", name);
            run("ip", "-n", name, "link", "set", "lo", "up");
            run("ip", "-n", name, "address", "add", address + "/24", "dev", device);
            run("ip", "-n", name, "link", "set", device, "up");
            run("ip", "-n", name, "route", "add", "default", "dev", device);
            return tun;
        } catch (IOException e) {
            tun.close();
            throw e;
        }
    }

    static void removeLeftOvers() throws IOException {
        if (!Files.isDirectory(NAMED)) {
            return;
        }
        try (DirectoryStream<Path> spaces = Files.newDirectoryStream(NAMED, "parley*-*")) {
            for (Path space : spaces) {
                Matcher name = NAME.matcher(space.getFileName().toString());
                if (name.matches() && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()) {
                    run("ip", "netns", "del", name.group());
                }
            }
        }
    }

    /** Where the client reaches the server. */
    public String serverAddress() {
        return SERVER;
    }

    /** The client's own address, which nobody but its NAT sees. */
    public String clientAddress() {
        return CLIENT;
    }

    /** A command line that runs this one in the client's namespace. */
    public List<String> inClient(String... command) {
        return inside(clientSpace, command);
    }

    /** A command line that runs this one in the server's namespace. */
    public List<String> inServer(String... command) {
        return inside(serverSpace, command);
    }

    static List<String> inside(String space, String... command) {
        List<String> line = new ArrayList<>(List.of("ip", "netns", "exec", space));
        line.addAll(List.of(command));
        return line;
    }

    public LinkEmulator link() {
        return link;
    }

    /** The client's packets come from another public address and other ports from now on. */
    public void rebindAddress() {
        link.rebindAddress(FIRST_PUBLIC + ++publicAddresses);
    }

    static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (!process.waitFor(COMMAND_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                var _ = process.destroyForcibly();
                throw new IOException(String.join(" ", command) + ": " + output.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Removes the namespaces; processes in them keep running, so end them before. */
    @Override
    public void close() {
        link.close();
        removeSpaces();
    }

    private void removeSpaces() {
        for (String space : spaces) {
            try {
                run("ip", "netns", "del", space);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
