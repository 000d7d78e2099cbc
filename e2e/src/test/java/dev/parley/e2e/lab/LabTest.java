package dev.parley.e2e.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The laboratory itself, with small programs in its namespaces. */
class LabTest {
    private static final String PORT = "4000";

    private Lab lab;
    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void start() {
        Optional<String> obstacle = Lab.obstacle();
        Assumptions.assumeTrue(obstacle.isEmpty(), () -> obstacle.orElse(""));
        lab = Lab.start(LinkProfile.CLEAR, 1);
    }

    @AfterEach
    void stop() throws InterruptedException {
        for (Process process : processes) {
            process.destroyForcibly().waitFor();
        }
        if (lab != null) {
            lab.close();
        }
    }

    @Test
    void carriesPacketsAndRebindsAndCutsAndDelays() throws IOException {
        Probe server = new Probe(lab.inServer(command("server")));
        Probe client = new Probe(lab.inClient(command("client")));
        server.reader.readLine();
        client.reader.readLine();

        String first = client.ask();
        assertThat(first).matches("198\\.18\\.3\\.1:2\\d{4} \\d+");
        assertThat(addressOf(client.ask())).isEqualTo(addressOf(first));

        lab.link().rebindPorts();
        String second = client.ask();
        assertThat(second).startsWith("198.18.3.1:");
        assertThat(addressOf(second)).isNotEqualTo(addressOf(first));

        lab.rebindAddress();
        assertThat(client.ask()).startsWith("198.18.3.2:");

        lab.link().up().profile(LinkProfile.CUT);
        assertThat(client.ask()).isEqualTo("lost");
        assertThat(lab.link().up().lost()).isOne();

        lab.link().profile(LinkProfile.CLEAR.delay(30, 0));
        String delayed = client.ask();
        assertThat(Integer.parseInt(delayed.substring(delayed.indexOf(' ') + 1)))
                .isGreaterThanOrEqualTo(60);
        lab.link().up().check();
        lab.link().down().check();
    }

    private static String addressOf(String answer) {
        return answer.substring(0, answer.indexOf(' '));
    }

    private String[] command(String role) {
        return new String[] {
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            UdpProbe.class.getName(),
            role,
            lab.serverAddress(),
            PORT
        };
    }

    private final class Probe {
        private final BufferedReader reader;
        private final BufferedWriter writer;

        Probe(List<String> command) throws IOException {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            processes.add(process);
            reader = process.inputReader();
            writer = process.outputWriter();
        }

        String ask() throws IOException {
            writer.write("\n");
            writer.flush();
            return reader.readLine();
        }
    }
}
