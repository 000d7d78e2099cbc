package dev.parley.transceiver.session;

import dev.parley.rtc.dtls.DtlsOutcome;
import dev.parley.rtc.dtls.DtlsSession;
import dev.parley.rtc.ice.IcePath;
import dev.parley.transceiver.session.LoopCommand.DtlsConnected;
import dev.parley.transceiver.session.LoopCommand.DtlsKeyed;
import dev.parley.transceiver.session.LoopCommand.DtlsSend;
import dev.parley.transceiver.session.LoopCommand.End;
import org.jspecify.annotations.Nullable;

/** Carries what happens to a session's DTLS to the session, on its loop. */
record DtlsReports(Session session, MediaLoop loop) implements DtlsEndpoint.Owner {
    @Override
    public void onDtlsSend(byte[] datagram) {
        loop.post(new DtlsSend(session, datagram));
    }

    @Override
    public void sendDtls(byte[] bytes, int offset, int length) {
        session.sendDtls(bytes, offset, length);
    }

    @Override
    public void onDtlsData(byte[] data, IcePath from) {
        session.receiveData(from, data, loop.nowNanos());
    }

    @Override
    public void onDtlsKeyed(SrtpContexts media) {
        loop.post(new DtlsKeyed(session, media));
    }

    @Override
    public void onDtlsConnected(DtlsSession open, @Nullable SrtpContexts media) {
        loop.post(new DtlsConnected(session, open, media));
    }

    @Override
    public void onDtlsFailed(DtlsOutcome.Failed failed) {
        loop.post(
                new End(session, EndReason.DTLS_FAILED, failed.reason() + ": " + failed.message()));
    }

    @Override
    public void onDtlsClosed() {
        loop.post(new End(session, EndReason.CLIENT_HANGUP, "the client closed DTLS"));
    }

    @Override
    public void onDtlsFault(Throwable fault) {
        loop.fault(session, "DTLS", fault);
    }
}
