package dev.parley.e2e;

import dev.parley.app.AllInOne;
import dev.parley.app.UpOptions;
import dev.parley.inferencestub.InferenceStub;
import dev.parley.otel.Telemetry;
import java.net.InetAddress;
import java.util.List;

/**
 * The whole product in this process on free ports, with everything that reaches its inference stub
 * kept.
 */
final class WatchedProduct implements AutoCloseable {
    private final StubRecorder stub = new StubRecorder();
    private final AllInOne system;

    private WatchedProduct() {
        Telemetry telemetry = Telemetry.none();
        system =
                AllInOne.start(
                        new UpOptions(0, 0, List.of(InetAddress.getLoopbackAddress())),
                        telemetry,
                        config -> InferenceStub.start(config, telemetry, stub));
    }

    static WatchedProduct start() {
        return new WatchedProduct();
    }

    String url() {
        return system.url();
    }

    int relayPort() {
        return system.relayAddress().getPort();
    }

    StubRecorder stub() {
        return stub;
    }

    @Override
    public void close() {
        system.close();
    }
}
