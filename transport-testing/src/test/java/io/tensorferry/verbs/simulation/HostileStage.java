package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.statistics.ChannelDescription;
import io.tensorferry.verbs.statistics.RendezvousStatistics;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.RequestIndex;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;

/// A victim, a healthy peer that it exchanges tensors with all the time, and an attacker, who is a member too.
final class HostileStage implements AutoCloseable {
    static final int VICTIM = 0;
    static final int HEALTHY = 1;
    static final int ATTACKER = 2;
    static final long STEP = 5;
    private static final long MEMORY_LIMIT = 16L << 20;

    final Scenario scenario;
    final Attacker attacker;
    final SimulatedCluster.Worker victim;
    final Random random;
    private final HealthyTraffic healthy;
    private int nextIndex;

    HostileStage(long seed) {
        // The victim writes what it is asked for: where the attacker said.
        this(seed, SimulatedCluster.Options.defaults().withRingContent(0));
    }

    HostileStage(long seed, SimulatedCluster.Options options) {
        scenario = new Scenario(
                seed,
                2,
                1,
                options.withLimit(MEMORY_LIMIT),
                SimulatedFabricOptions.defaults().withSpikes(0, 0));
        random = new Random(seed);
        attacker = new Attacker(scenario.fabric, SimulatedCluster.name(ATTACKER), random);
        victim = scenario.worker(VICTIM);
        healthy = new HealthyTraffic(scenario, VICTIM, HEALTHY);
        healthy.start();
        await(() -> healthy.exchanged() > 10, "the healthy exchange begins");
    }

    ChannelCounters counters() {
        return victim.adapter.counters();
    }

    RendezvousStatistics statistics() {
        return victim.manager.statistics();
    }

    void connect() {
        attacker.offer(victim.adapter.acceptor());
        await(() -> attacker.isConnected() || attacker.hasFailed(), "the attacker is connected");
        assertThat(attacker.hasFailed()).as("refused: %s", attacker.refusal()).isFalse();
    }

    /// The victim loses the attacker's channel, and keeps what the attacker may resume over another.
    void loseChannel() {
        ChannelDescription lost = channelOfAttacker().orElseThrow();
        int queuePair = lost.queuePairs().getFirst().queuePairNumber();
        scenario.fabric.raise(victim.name, new AsyncEvent(AsyncEvent.Type.QP_FATAL, queuePair));
        await(() -> channelOfAttacker().isEmpty(), "the channel is lost");
    }

    private Optional<ChannelDescription> channelOfAttacker() {
        return victim.adapter.channels().stream()
                .filter(channel -> channel.peer().equals(attacker.name()))
                .findFirst();
    }

    /// Another process takes the attacker's name, and sets up a channel.
    void restartAttacker() {
        attacker.restart();
        reconnectAttacker();
    }

    /// Sets up a channel after a loss. The victim, which dials too, may yield some of the offers.
    void reconnectAttacker() {
        attacker.offer(victim.adapter.acceptor());
        await(
                () -> {
                    if (attacker.hasFailed()) {
                        attacker.offer(victim.adapter.acceptor());
                    }
                    return attacker.isConnected();
                },
                "another channel");
    }

    void await(Supplier<Boolean> condition, String what) {
        scenario.await(
                () -> {
                    attacker.poll();
                    return condition.get();
                },
                what);
    }

    /// Everything that was written has been looked at.
    void settle() {
        long end = scenario.fabric.now() + 2 * Scenario.MILLISECOND_NS;
        await(() -> scenario.fabric.now() >= end, "time goes on");
    }

    /// A request index that was not used on this stage.
    int freshIndex() {
        nextIndex++;
        return RequestIndex.of(nextIndex % RequestIndex.SLOTS, nextIndex / RequestIndex.SLOTS % 4095);
    }

    /// The attacker's request for a tensor of the victim, with nothing known of it.
    Message.TensorRequest request(int index, String edge) {
        return new Message.TensorRequest(
                STEP, index, Scenario.key(VICTIM, ATTACKER, edge).toString(), null, 0, 0, false);
    }

    /// As a peer that keeps the rules would do it: the attacker gets a tensor of the victim. Shows that its channel
    /// is alive.
    void attackerReceives() {
        String edge = "proper" + nextIndex;
        attackerReceives(edge, request(freshIndex(), edge));
    }

    /// The same, by this request for this edge.
    void attackerReceives(String edge, Message.TensorRequest request) {
        int index = request.requestIndex();
        long violations = counters().protocolViolations();
        scenario.send(VICTIM, ATTACKER, STEP, edge, 3, 42);
        attacker.send(request);
        Message[] reply = new Message[1];
        await(
                () -> {
                    for (Message message = attacker.takeMessage(); message != null; message = attacker.takeMessage()) {
                        if (message instanceof Message.OfRequest about && about.requestIndex() == index) {
                            reply[0] = message;
                        }
                    }
                    return reply[0] != null || counters().protocolViolations() > violations;
                },
                "an answer to a proper request");
        assertThat(counters().protocolViolations())
                .as("violations that the victim sees")
                .isEqualTo(violations);
        assertThat(reply[0]).isInstanceOf(Message.MetaDataResponse.class);
        attacker.contentMemory().asSlice(0, 3).fill((byte) 0);
        attacker.send(new Message.TensorReRequest(
                STEP,
                index,
                TensorMetaData.of(DataType.UINT8, Shape.of(3)),
                attacker.contentAddress(),
                attacker.contentKey()));
        await(() -> attacker.contents().contains(index), "the content");
        assertThat(attacker.contentMemory().asSlice(0, 3).toArray(ValueLayout.JAVA_BYTE))
                .containsOnly(42);
    }

    /// The healthy exchange goes on, now.
    void assertHealthy() {
        long before = healthy.exchanged();
        await(() -> healthy.exchanged() > before + 4, "the healthy exchange goes on");
    }

    /// Nothing of the attacker is left at the victim, and nothing else is wrong.
    void end() {
        healthy.stop();
        attacker.close();
        victim.manager.closeStep(STEP);
        scenario.end();
        assertThat(scenario.worker(HEALTHY).adapter.counters().malformedMessages())
                .isZero();
        assertThat(scenario.worker(HEALTHY).adapter.counters().protocolViolations())
                .isZero();
    }

    @Override
    public void close() {
        scenario.close();
    }
}
