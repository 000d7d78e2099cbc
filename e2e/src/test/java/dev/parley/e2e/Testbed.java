package dev.parley.e2e;

import dev.parley.e2e.client.Chromium;
import dev.parley.e2e.client.SpeechSample;
import dev.parley.e2e.lab.Lab;
import dev.parley.e2e.lab.LinkProfile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The product in a {@link Lab}: four processes at one end of a link that is clear at first, clients
 * at the other. Owned by one test or drill.
 */
final class Testbed implements AutoCloseable {
    private final Path folder;
    private final Lab lab;
    private final FourProcesses services;

    private Testbed(Path folder, Lab lab, String transceiverYaml) {
        this.folder = folder;
        this.lab = lab;
        this.services =
                FourProcesses.start(folder, lab.inServer(), lab.serverAddress(), transceiverYaml);
    }

    /**
     * Starts it.
     *
     * @param folder for files of the services and of browsers
     * @param seed of everything that the link does
     * @param transceiverYaml lines that the transceiver's config ends with
     */
    static Testbed start(Path folder, long seed, String transceiverYaml) {
        Lab lab = Lab.start(LinkProfile.CLEAR, seed);
        boolean started = false;
        try {
            Testbed testbed = new Testbed(folder, lab, transceiverYaml);
            started = true;
            return testbed;
        } finally {
            if (!started) {
                lab.close();
            }
        }
    }

    Lab lab() {
        return lab;
    }

    /** Where signaling listens. */
    String origin() {
        return services.base().toString();
    }

    /** Starts a browser at the client's end, in which the caller speaks. */
    Chromium browse(String... flags) {
        List<String> all = new ArrayList<>(List.of(flags));
        // Without TLS a page of another machine gets no microphone otherwise.
        all.add("--unsafely-treat-insecure-origin-as-secure=" + origin());
        return Chromium.withMicrophone(folder, SpeechSample.caller(), lab.inClient(), all);
    }

    @Override
    public void close() {
        try {
            services.close();
        } finally {
            lab.close();
        }
    }
}
