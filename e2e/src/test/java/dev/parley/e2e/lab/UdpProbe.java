package dev.parley.e2e.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/**
 * A program for the namespaces of a lab: {@code server ADDRESS PORT} answers each datagram with the
 * address that it came from; {@code client ADDRESS PORT} sends one for each line that it reads and
 * prints the answer and its milliseconds, or {@code lost}.
 */
final class UdpProbe {
    private static final int TIMEOUT_MILLIS = 500;
    private static final int LONGEST = 100;

    private UdpProbe() {}

    public static void main(String[] arguments) throws IOException {
        InetSocketAddress address =
                new InetSocketAddress(
                        InetAddress.getByName(arguments[1]), Integer.parseInt(arguments[2]));
        if (arguments[0].equals("server")) {
            serve(address);
        } else {
            ask(address);
        }
    }

    private static void serve(InetSocketAddress address) throws IOException {
        try (DatagramSocket socket = new DatagramSocket(address)) {
            System.out.println("ready");
            DatagramPacket packet = new DatagramPacket(new byte[LONGEST], LONGEST);
            while (true) {
                socket.receive(packet);
                byte[] answer =
                        (packet.getAddress().getHostAddress() + ":" + packet.getPort())
                                .getBytes(StandardCharsets.US_ASCII);
                socket.send(new DatagramPacket(answer, answer.length, packet.getSocketAddress()));
            }
        }
    }

    private static void ask(InetSocketAddress address) throws IOException {
        try (DatagramSocket socket = new DatagramSocket();
                BufferedReader lines =
                        new BufferedReader(
                                new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            System.out.println("ready");
            while (lines.readLine() != null) {
                long start = System.nanoTime();
                socket.send(new DatagramPacket(new byte[1], 1, address));
                DatagramPacket answer = new DatagramPacket(new byte[LONGEST], LONGEST);
                try {
                    socket.receive(answer);
                    String text =
                            new String(
                                    answer.getData(),
                                    0,
                                    answer.getLength(),
                                    StandardCharsets.US_ASCII);
                    System.out.println(text + " " + (System.nanoTime() - start) / 1_000_000);
                } catch (SocketTimeoutException _) {
                    System.out.println("lost");
                }
            }
        }
    }
}
