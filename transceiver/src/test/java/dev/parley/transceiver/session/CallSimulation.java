package dev.parley.transceiver.session;

import dev.parley.proto.control.v1.UpdateSessionRequest;
import dev.parley.proto.control.v1.UpdateSessionResponse;
import dev.parley.rtc.ice.IceVerdict;
import dev.parley.rtc.route.ClientHeader;
import dev.parley.rtc.route.PacketKind;
import dev.parley.rtc.route.RouteVerdict;
import dev.parley.transceiver.peer.FakeUdpPort.Address;
import dev.parley.transceiver.peer.FakeVoiceAgent;
import dev.parley.transceiver.peer.Rig;
import dev.parley.transceiver.session.CallNetwork.Weather;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Whole calls over a bad network in virtual time: signaling, ICE, DTLS, media both ways and the
 * end, with what must always hold checked at each step. A run follows from its seed, but for two
 * things that have threads of their own: DTLS handshakes, whose waits are real, and the voice
 * agent. So no figure of the run depends on when those two do what they do, and the network's fate
 * is drawn anew once all are connected.
 */
final class CallSimulation implements Rig.Network {
    static final SessionLimits LIMITS =
            new SessionLimits(
                    Duration.ofSeconds(60).toNanos(),
                    Duration.ofSeconds(30).toNanos(),
                    Duration.ofHours(1).toNanos(),
                    Duration.ofMillis(60).toNanos(),
                    960,
                    0,
                    Duration.ofMinutes(10).toNanos(),
                    100);

    private static final long MILLI = 1_000_000L;
    private static final int MAX_DATAGRAM_BYTES = 1_200;
    private static final int RESEND_MILLIS = 50;

    /** Shortly before the clock overflows, for deadlines must compare as differences. */
    private static final long START_NANOS = Long.MAX_VALUE - 20_000_000_000L;

    private static final Address STRANGER = Address.ipv4(66, 6_666);

    private final CallPlan plan;
    private final CallNetwork network;
    private final FakeVoiceAgent agent = new FakeVoiceAgent(FakeVoiceAgent.opus(), false);
    private final Rig rig = new Rig(agent, LIMITS, 600_000, 3, START_NANOS, RESEND_MILLIS);
    private final List<SimulatedCaller> callers = new ArrayList<>();
    private final Map<Address, SimulatedCaller> inhabitants = new HashMap<>();
    private final Set<Address> checkedFrom = new HashSet<>();
    private final Set<Address> answered = new HashSet<>();
    private final Set<Address> relaysUsed = new HashSet<>();
    private final ClientHeader header = new ClientHeader();
    private final List<String> trace = new ArrayList<>();
    private final List<String> faults = new ArrayList<>();
    private Address relay = Rig.RELAY;
    private int nextPort = 50_000;
    private int nextHost = 1;
    private long stunArrived;
    private long mediaArrived;
    private int answersToStranger;
    private int checksOfStranger;
    private boolean ending;

    private CallSimulation(CallPlan plan) {
        this.plan = plan;
        this.network = new CallNetwork(plan.seed());
    }

    /**
     * Runs one seed.
     *
     * @return what went wrong, the trace of the run behind it; empty when nothing did
     */
    static String run(long seed) {
        CallSimulation simulation = new CallSimulation(CallPlan.of(seed));
        try {
            simulation.run();
        } catch (RuntimeException | AssertionError e) {
            simulation.fault(e.toString());
        } finally {
            simulation.rig.close();
        }
        return simulation.faults.isEmpty() ? "" : simulation.report();
    }

    private String report() {
        return "seed %d: %s%n%s%n"
                .formatted(plan.seed(), String.join("; ", faults), String.join("\n", trace));
    }

    private void run() {
        rig.useNetwork(this);
        note("callers %s, weather %s".formatted(plan.callers(), plan.setup()));
        connect();
        network.reseed(~plan.seed());
        long media = mediaArrived;
        long taken = mediaCounted();
        callers.forEach(caller -> caller.speak(rig.now()));
        for (CallPlan.Episode episode : plan.episodes()) {
            if (faults.isEmpty()) {
                play(episode);
            }
        }
        if (faults.isEmpty()) {
            end();
        }
        if (faults.isEmpty()) {
            checkCounters(mediaArrived - media, mediaCounted() - taken);
        }
    }

    private void note(String what) {
        trace.add("%7d ms  %s".formatted((rig.now() - START_NANOS) / MILLI, what));
    }

    private static String text(Address address) {
        return "10.0.0.%d:%d".formatted(address.low() & 0xFF, address.port());
    }

    private void fault(String what) {
        note("FAULT: " + what + "; counters " + rig.counters());
        faults.add(what);
    }

    private Address freshAddress(boolean sameHost) {
        nextHost += sameHost ? 0 : 1;
        return Address.ipv4(nextHost % 60, nextPort++);
    }

    // --- what happens

    private void connect() {
        network.weather(plan.setup());
        for (CallPlan.Caller each : plan.callers()) {
            SimulatedCaller caller =
                    new SimulatedCaller(
                            callers.size(),
                            each,
                            plan.seed() * 31 + callers.size(),
                            freshAddress(false));
            Set<Session> before = new HashSet<>(rig.loop().table().all());
            caller.call = rig.create(caller.peer);
            caller.session =
                    rig.loop().table().all().stream()
                            .filter(session -> !before.contains(session))
                            .findFirst()
                            .orElseThrow();
            caller.agent = agent.awaitCall();
            inhabitants.put(caller.address, caller);
            callers.add(caller);
        }
        rig.advanceUntil(() -> callers.stream().allMatch(this::isConnected) || !faults.isEmpty());
        note("all are connected");
    }

    private boolean isConnected(SimulatedCaller caller) {
        return caller.session.state() == Session.State.CONNECTED && caller.peer.dtlsDone();
    }

    private void play(CallPlan.Episode episode) {
        note(episode.toString());
        network.weather(episode.weather());
        callers.forEach(each -> each.weatherChanges(rig.now()));
        SimulatedCaller caller = callers.get(episode.caller());
        switch (episode.kind()) {
            case CALM -> {}
            case REBIND_PORT -> move(caller, freshAddress(true));
            case REBIND_ADDRESS -> move(caller, freshAddress(false));
            case TAKE_OVER -> {
                SimulatedCaller other = callers.get((caller.number + 1) % callers.size());
                Address left = caller.address;
                move(caller, freshAddress(false));
                if (other != caller) {
                    move(other, left);
                }
            }
            case PARTITION -> {
                network.cut(true);
                rig.advance(episode.millis());
                network.cut(false);
                callers.forEach(each -> each.excuse(rig.now()));
                note("the partition is over");
            }
            case RESTART -> restart(caller);
            case RESTART_ELSEWHERE -> {
                move(caller, freshAddress(false));
                restart(caller);
            }
            case RELAY_CHANGE -> {
                relay = relay.equals(Rig.RELAY) ? Rig.OTHER_RELAY : Rig.RELAY;
                // Nothing is where they are but what the callers' next packets say.
                callers.forEach(each -> each.excuse(rig.now()));
            }
            case STRANGER -> playBack(caller);
        }
        callers.forEach(each -> each.agent.say("r", each.speech(0)));
        rig.advance(episode.kind() == CallPlan.Kind.PARTITION ? 8_000 : episode.millis());
    }

    private void move(SimulatedCaller caller, Address to) {
        note(
                "caller %d moves from %s to %s"
                        .formatted(caller.number, text(caller.address), text(to)));
        var _ = inhabitants.remove(caller.address, caller);
        inhabitants.put(to, caller);
        caller.move(to, rig.now());
    }

    private void restart(SimulatedCaller caller) {
        if (caller.isGone()) {
            return;
        }
        UpdateSessionResponse changed =
                rig.request(
                        UpdateSessionRequest.newBuilder()
                                .setSessionId(caller.call.getSessionId())
                                .setOfferSdp(caller.peer.restartIce().offer())
                                .addRelayAddresses("203.0.113.10:3478")
                                .build(),
                        rig.control()::updateSession);
        caller.peer.answer(changed.getAnswerSdp(), rig.now());
    }

    private void playBack(SimulatedCaller caller) {
        for (int i = 0; i < 20; i++) {
            if (caller.lastCheck.length > 0) {
                checksOfStranger++;
                arrive(STRANGER, caller.plan.headed(), caller.lastCheck);
            }
            if (caller.lastMedia.length > 0) {
                arrive(STRANGER, caller.plan.headed(), caller.lastMedia);
            }
            rig.advance(20);
        }
    }

    private void end() {
        ending = true;
        note("end by " + plan.end());
        network.weather(Weather.CLEAR);
        rig.advance(500);
        callers.forEach(SimulatedCaller::fallSilent);
        rig.advance(500);
        EndReason reason =
                switch (plan.end()) {
                    case PARTITION -> EndReason.CONSENT_EXPIRED;
                    case SIGNALING, CLIENT -> EndReason.CLIENT_HANGUP;
                    case AGENT -> EndReason.AGENT_HANGUP;
                };
        long given = rig.loop().counters().ended.count(reason);
        long living = callers.stream().filter(this::lives).count();
        for (SimulatedCaller caller : callers) {
            if (lives(caller)) {
                end(caller);
            }
        }
        if (plan.end() == CallPlan.End.PARTITION) {
            network.cut(true);
            rig.advance(31_000);
        }
        rig.advanceUntil(() -> rig.calls().count() == 0 || elapsedTooLong());
        checkEnd(reason, given, living);
    }

    private void end(SimulatedCaller caller) {
        switch (plan.end()) {
            case PARTITION -> {}
            case SIGNALING -> rig.close(caller.call);
            case CLIENT -> {
                // What a client does when nobody hears it any more is no hang-up.
                if (caller.hasMoved()) {
                    rig.close(caller.call);
                } else {
                    caller.peer.closeDtls();
                }
            }
            case AGENT -> caller.agent.hangUp("bye");
        }
    }

    private boolean elapsedTooLong() {
        return rig.now() - START_NANOS > Duration.ofMinutes(30).toNanos();
    }

    private boolean lives(SimulatedCaller caller) {
        return rig.loop().table().contains(caller.session);
    }

    // --- the network, between the rig and the callers

    @Override
    public void advanceTo(long nowNanos) {
        for (SimulatedCaller caller : callers) {
            Address from = caller.address;
            caller.run(
                    nowNanos,
                    datagram ->
                            network.send(datagram, nowNanos, bytes -> reach(caller, from, bytes)));
        }
        network.advanceTo(nowNanos);
        if (nowNanos / MILLI % 10 == 0 && !ending) {
            for (SimulatedCaller caller : callers) {
                String fault = caller.fault(lives(caller), network, nowNanos);
                if (!fault.isEmpty() && faults.isEmpty()) {
                    fault("caller " + caller.number + " " + fault);
                }
            }
        }
    }

    private void reach(SimulatedCaller caller, Address from, byte[] datagram) {
        if (caller.isCheck(datagram)) {
            answered.add(from);
        }
        if (caller.reached(datagram, from, rig.now())) {
            checkedFrom.add(from);
            note("caller %d's check comes from %s".formatted(caller.number, text(from)));
        }
        arrive(from, caller.plan.headed(), datagram);
    }

    private void arrive(Address from, boolean headed, byte[] datagram) {
        switch (SimulatedCaller.kind(datagram)) {
            case STUN -> stunArrived++;
            case RTP, RTCP -> mediaArrived++;
            case DTLS, UNKNOWN, CLIENT_HEADER -> {}
        }
        if (headed) {
            relaysUsed.add(relay);
            rig.arriveHeaded(relay, from, datagram);
        } else {
            rig.arrivePlain(from, datagram);
        }
    }

    @Override
    public void sent(Address to, byte[] datagram) {
        boolean headed = header.wrap(ByteBuffer.wrap(datagram), 0, datagram.length);
        Address client =
                headed
                        ? new Address(header.clientHigh(), header.clientLow(), header.clientPort())
                        : to;
        byte[] payload =
                headed
                        ? Arrays.copyOfRange(datagram, ClientHeader.LENGTH, datagram.length)
                        : datagram;
        if (payload.length > MAX_DATAGRAM_BYTES) {
            fault("a datagram of " + payload.length + " bytes");
        }
        if (headed && !relaysUsed.contains(to)) {
            fault("sent to a relay that delivers nothing: " + to);
        }
        if (client.equals(STRANGER)) {
            sentToStranger(payload);
        } else if (!(isStun(payload) ? answered : checkedFrom).contains(client)) {
            fault("sent to an address without a check: " + client);
        }
        if (headed && !to.equals(relay)) {
            // What is under way to a dead relay is lost.
            return;
        }
        network.send(payload, rig.now(), bytes -> deliver(client, bytes));
    }

    private static boolean isStun(byte[] datagram) {
        return SimulatedCaller.kind(datagram) == PacketKind.STUN;
    }

    private void sentToStranger(byte[] payload) {
        answersToStranger++;
        if (!isStun(payload) || answersToStranger > checksOfStranger) {
            fault("sent to somebody who has only played back what a caller sent");
        }
    }

    private void deliver(Address to, byte[] datagram) {
        SimulatedCaller caller = inhabitants.get(to);
        if (caller != null) {
            caller.receive(datagram, rig.now());
        }
    }

    // --- what must be true in the end

    private void checkEnd(EndReason reason, long given, long living) {
        LoopCounters counters = rig.loop().counters();
        expect("calls left", rig.calls().count(), 0);
        expect("sessions left", rig.loop().table().size(), 0);
        expect("peers left", rig.loop().table().peers(), 0);
        expect("handshakes left", counters.handshakes.get(), 0);
        expect("output left", rig.memory().bytes(), 0);
        expect("faults", counters.drops.count(Drop.INTERNAL_ERROR), 0);
        expect("ended by " + reason, counters.ended.count(reason) - given, living);
        expect("ended in all", sum(counters.ended), callers.size());
        for (SimulatedCaller caller : callers) {
            String crossTalk = caller.crossTalk();
            if (!crossTalk.isEmpty()) {
                fault("caller " + caller.number + ": " + crossTalk);
            }
        }
    }

    private void checkCounters(long media, long counted) {
        LoopCounters counters = rig.loop().counters();
        // What answers our own checks names no route.
        long answers =
                counters.checks.count(IceVerdict.PROVEN)
                        + counters.checks.count(IceVerdict.PROVES_NOTHING);
        expect("media", counted, media);
        expect(
                "STUN",
                sum(counters.routes)
                        + counters.drops.count(Drop.STUN_MALFORMED)
                        + counters.drops.count(Drop.STUN_NOT_A_CHECK)
                        + answers,
                stunArrived);
        expect(
                "checks",
                sum(counters.checks) - answers + counters.drops.count(Drop.STUN_UNKNOWN_SESSION),
                counters.routes.count(RouteVerdict.OPENED));
    }

    /** Media that the loop has taken or counted as dropped. */
    private long mediaCounted() {
        LoopCounters counters = rig.loop().counters();
        long count = counters.rtpReceived.get() + sum(counters.srtp);
        for (Drop drop :
                List.of(
                        Drop.UNKNOWN_PEER,
                        Drop.RTP_MALFORMED,
                        Drop.RTP_PAYLOAD_TYPE,
                        Drop.RTP_SSRC_COLLISION,
                        Drop.RTP_OLD_SOURCE,
                        Drop.RTP_LATE,
                        Drop.RTP_DUPLICATE,
                        Drop.RTP_SEQUENCE_JUMP)) {
            count += counters.drops.count(drop);
        }
        return count;
    }

    private static <E extends Enum<E>> long sum(EnumCounters<E> counters) {
        return Arrays.stream(counters.type().getEnumConstants()).mapToLong(counters::count).sum();
    }

    private void expect(String what, long actual, long expected) {
        if (actual != expected) {
            fault("%s: %d instead of %d".formatted(what, actual, expected));
        }
    }
}
