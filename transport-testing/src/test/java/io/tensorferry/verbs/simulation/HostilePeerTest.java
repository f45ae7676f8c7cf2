package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.HEALTHY;
import static io.tensorferry.verbs.simulation.HostileStage.STEP;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Immediate;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.NameId;
import io.tensorferry.verbs.wire.RequestIndex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What a member that breaks the rules can do to a worker: end its own channel, and nothing else.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostilePeerTest {
    private static final long SEED = 20_260_101;
    private static final TensorMetaData TRIPLE = TensorMetaData.of(DataType.UINT8, Shape.of(3));
    /// Four exbibytes of them.
    private static final TensorMetaData HUGE = TensorMetaData.of(DataType.FLOAT, Shape.of(1L << 30, 1L << 30));

    record Attack(String name, Consumer<HostileStage> action) {
        @Override
        public String toString() {
            return name;
        }
    }

    private static Attack attack(String name, Consumer<HostileStage> action) {
        return new Attack(name, action);
    }

    static Stream<Attack> malformedMessages() {
        return Stream.of(
                attack("random bytes", stage -> {
                    byte[] bytes = new byte[200];
                    stage.random.nextBytes(bytes);
                    stage.attacker.sendBytes(bytes);
                }),
                attack("no bytes, in a slot that was never written", stage -> stage.attacker.sendBytes(new byte[0])),
                attack("a message behind which nothing follows, though it says so", stage -> {
                    byte[] bytes = Attacker.slotOf(new Message.Heartbeat());
                    bytes[3] |= (byte) 0x80;
                    stage.attacker.sendBytes(Arrays.copyOf(bytes, Attacker.SLOT_BYTES));
                }),
                attack("a slot full of messages, the last of which says that another follows", stage -> {
                    var full = new Message[Attacker.SLOT_BYTES / 64];
                    Arrays.fill(full, new Message.Heartbeat());
                    byte[] bytes = Attacker.slotOf(full);
                    bytes[bytes.length - 61] |= (byte) 0x80;
                    stage.attacker.sendBytes(bytes);
                }),
                attack("a good message, and a bad one in the same slot", stage -> {
                    byte[] bytes = Attacker.slotOf(new Message.Heartbeat(), new Message.Heartbeat());
                    bytes[64 + 4]++;
                    stage.attacker.sendBytes(bytes);
                }),
                attack("a length that leads out of the slot", stage -> {
                    byte[] bytes = Attacker.slotOf(new Message.Heartbeat(), new Message.Heartbeat());
                    MemorySegment.ofArray(bytes).set(ValueLayout.JAVA_INT_UNALIGNED, 64 + 4, Attacker.SLOT_BYTES);
                    stage.attacker.sendBytes(bytes);
                }),
                attack("a whole slot of zeros", stage -> stage.attacker.sendBytes(new byte[Attacker.SLOT_BYTES])),
                attack("a whole slot of ones", stage -> {
                    byte[] bytes = new byte[Attacker.SLOT_BYTES];
                    Arrays.fill(bytes, (byte) 0xFF);
                    stage.attacker.sendBytes(bytes);
                }));
    }

    static Stream<Attack> violations() {
        return Stream.of(
                attack("a request index on the control queue pair", stage -> immediate(stage, Attacker.CONTROL, 17)),
                attack("an immediate without a meaning", stage -> immediate(stage, Attacker.CONTROL, 0xFFF00000)),
                attack(
                        "a control message on a lane",
                        stage -> immediate(stage, Attacker.LANE, Immediate.CONTROL_MESSAGE)),
                attack("no request index on a lane", stage -> immediate(stage, Attacker.LANE, 0xFFFFFFFD)),
                attack(
                        "an acknowledgement of nothing",
                        stage -> immediate(stage, Attacker.CONTROL, Immediate.ACKNOWLEDGEMENT)),
                attack(
                        "an acknowledgement of nothing on a lane",
                        stage -> immediate(stage, Attacker.LANE, Immediate.ACKNOWLEDGEMENT)),
                attack("one request index twice in one slot", stage -> {
                    int index = stage.freshIndex();
                    stage.attacker.sendBytes(
                            Attacker.slotOf(stage.request(index, "absent"), stage.request(index, "absent too")));
                }),
                attack("one request index twice", stage -> {
                    int index = stage.freshIndex();
                    stage.attacker.send(stage.request(index, "absent"));
                    stage.attacker.send(stage.request(index, "absent too"));
                }),
                attack("asking again before there was an answer", stage -> {
                    int index = stage.freshIndex();
                    stage.attacker.send(stage.request(index, "absent"));
                    stage.attacker.send(reRequest(stage, index, TRIPLE));
                }),
                attack("asking again for something else", stage -> {
                    int index = stage.freshIndex();
                    stage.scenario.send(VICTIM, ATTACKER, STEP, "offered", 4, 1);
                    stage.attacker.send(stage.request(index, "offered"));
                    stage.settle();
                    stage.attacker.send(reRequest(stage, index, TRIPLE));
                }),
                attack("asking again twice", stage -> {
                    int index = stage.freshIndex();
                    stage.scenario.send(VICTIM, ATTACKER, STEP, "large", 1_000_000, 1);
                    stage.attacker.send(stage.request(index, "large"));
                    stage.settle();
                    var metaData = TensorMetaData.of(DataType.UINT8, Shape.of(1_000_000));
                    stage.attacker.send(reRequest(stage, index, metaData));
                    stage.attacker.send(reRequest(stage, index, metaData));
                }),
                attack("content for a request that named no memory", stage -> {
                    var asked = victimAsks(stage, "cold");
                    stage.attacker.content(asked.requestIndex(), 0, 0, 0);
                }),
                attack("content in a message for a request that named no memory", stage -> {
                    var asked = victimAsks(stage, "cold");
                    stage.attacker.send(content(asked.requestIndex(), 0));
                }),
                attack("content in a message, of another size than the memory", stage -> {
                    var asked = victimAsks(stage, "cold");
                    stage.attacker.send(metaData(asked, TRIPLE));
                    stage.settle();
                    stage.attacker.send(content(asked.requestIndex(), 4));
                }),
                attack("content in a message behind the metadata, before it was asked for again", stage -> {
                    var asked = victimAsks(stage, "cold");
                    stage.attacker.sendBytes(
                            Attacker.slotOf(metaData(asked, TRIPLE), content(asked.requestIndex(), 3)));
                }),
                attack("metadata again, with the content", stage -> {
                    var asked = victimAsks(stage, "cold");
                    stage.attacker.send(metaData(asked, TRIPLE));
                    stage.attacker.send(deadWithContent(asked.requestIndex()));
                }),
                attack("a number that stands for nothing", stage -> {
                    name(stage, 7, "named", null);
                    stage.attacker.send(new Message.RepeatedRequest(STEP, stage.freshIndex(), 8, 0, 0));
                }),
                attack("memory for a name that expects nothing", stage -> {
                    name(stage, 7, "named", null);
                    stage.attacker.send(new Message.RepeatedRequest(STEP, stage.freshIndex(), 7, 1, 2));
                }),
                attack("no memory for a name that expects content", stage -> {
                    name(stage, NameId.COUNT, "named", TRIPLE);
                    stage.attacker.send(new Message.RepeatedRequest(STEP, stage.freshIndex(), NameId.COUNT, 0, 0));
                }),
                attack("memory around the end of the address space", stage -> {
                    name(stage, 7, "named", TRIPLE);
                    stage.attacker.send(new Message.RepeatedRequest(STEP, stage.freshIndex(), 7, -2, 2));
                }),
                attack("metadata twice", stage -> {
                    var asked = victimAsks(stage, "cold");
                    stage.attacker.send(metaData(asked, TRIPLE));
                    stage.attacker.send(metaData(asked, TRIPLE));
                }),
                attack("more messages than there are credits for", stage -> {
                    stage.attacker.acknowledges = false;
                    flood(stage);
                }));
    }

    /// Acts that a sound peer does not commit, but a slow or restarted peer may: they are at most counted.
    static Stream<Attack> harmless() {
        return Stream.of(
                attack("contents that nobody asked for", stage -> {
                    for (int i = 0; i < 20; i++) {
                        stage.attacker.content(RequestIndex.of(500_000 + i, i), 0, 0, 0);
                    }
                }),
                attack("contents in messages that nobody asked for", stage -> {
                    for (int i = 0; i < 20; i++) {
                        stage.attacker.send(content(RequestIndex.of(500_000 + i, i), i));
                        stage.attacker.send(deadWithContent(RequestIndex.of(500_000 + i, i)));
                    }
                }),
                attack("a content in a message, and more for the same request", stage -> {
                    var asked = victimAsks(stage, "answered");
                    stage.attacker.send(deadWithContent(asked.requestIndex()));
                    stage.attacker.send(deadWithContent(asked.requestIndex()));
                    stage.attacker.send(content(asked.requestIndex(), 9));
                    stage.settle();
                    stage.attacker.content(asked.requestIndex(), 0, 0, 0);
                }),
                attack("an answer of an earlier generation", stage -> {
                    var asked = victimAsks(stage, "stale");
                    int stale = RequestIndex.of(RequestIndex.slot(asked.requestIndex()), 4000);
                    stage.attacker.send(new Message.MetaDataResponse(STEP, stale, TRIPLE, OptionalLong.empty()));
                    stage.attacker.content(stale, 0, 0, 0);
                }),
                attack("a second request for what is not there, given up", stage -> {
                    int index = stage.freshIndex();
                    stage.attacker.send(stage.request(index, "absent"));
                    stage.attacker.send(giveUp(index));
                    stage.attacker.send(giveUp(index));
                }),
                attack(
                        "a key that is none",
                        stage -> stage.attacker.send(
                                new Message.TensorRequest(STEP, stage.freshIndex(), ";;", null, 0, 0, false))),
                attack("a key that is none, by its number", stage -> {
                    stage.attacker.send(
                            new Message.TensorRequest(STEP, stage.freshIndex(), 9, ";;", TRIPLE, 1, 2, false, false));
                    stage.attacker.send(new Message.RepeatedRequest(STEP, stage.freshIndex(), 9, 1, 2));
                }),
                attack("every number there is", stage -> {
                    for (int i = 0; i < 40; i++) {
                        name(stage, 1 + i * 1638, "named", null);
                        stage.attacker.send(new Message.RepeatedRequest(STEP, stage.freshIndex(), 1 + i * 1638, 0, 0));
                        stage.settle();
                    }
                }),
                attack(
                        "a tensor of another worker",
                        stage -> stage.attacker.send(requestFor(stage, HEALTHY, ATTACKER))),
                attack("a tensor for another worker", stage -> stage.attacker.send(requestFor(stage, VICTIM, HEALTHY))),
                attack(
                        "asking again for what is not asked for",
                        stage -> stage.attacker.send(reRequest(stage, stage.freshIndex(), HUGE))),
                attack("memory for four exbibytes", stage -> {
                    stage.scenario.send(VICTIM, ATTACKER, STEP, "small", 4, 1);
                    stage.attacker.send(new Message.TensorRequest(
                            STEP,
                            stage.freshIndex(),
                            Scenario.key(VICTIM, ATTACKER, "small").toString(),
                            HUGE,
                            1,
                            2,
                            false));
                }));
    }

    @ParameterizedTest
    @MethodSource("malformedMessages")
    void aMalformedMessageEndsItsChannelAlone(Attack attack) {
        expectOneFailure(attack, 1, 0);
    }

    @ParameterizedTest
    @MethodSource("violations")
    void aViolationEndsItsChannelAlone(Attack attack) {
        expectOneFailure(attack, 0, 1);
    }

    private static void expectOneFailure(Attack attack, long malformed, long violations) {
        try (var stage = new HostileStage(SEED)) {
            for (int round = 1; round <= 3; round++) {
                stage.attacker.acknowledges = true;
                stage.connect();
                attack.action.accept(stage);
                long failed = round;
                stage.await(() -> stage.counters().failed() == failed, "the channel fails: " + attack);
                assertThat(stage.counters().malformedMessages()).isEqualTo(round * malformed);
                assertThat(stage.counters().protocolViolations()).isEqualTo(round * violations);
                stage.assertHealthy();
            }
            stage.connect();
            stage.attackerReceives();
            assertThat(stage.counters().failed()).isEqualTo(3);
            stage.end();
        }
    }

    @ParameterizedTest
    @MethodSource("harmless")
    void whatASlowPeerMightSendIsCountedAtMost(Attack attack) {
        try (var stage = new HostileStage(SEED)) {
            stage.connect();
            attack.action.accept(stage);
            stage.settle();
            stage.attackerReceives();
            assertThat(stage.counters().failed()).isZero();
            stage.assertHealthy();
            stage.end();
        }
    }

    @Test
    void aMissingChecksumIsAViolationWhereDataAreValidated() {
        try (var stage = new HostileStage(SEED, SimulatedCluster.Options.validating())) {
            stage.connect();
            stage.attacker.send(metaData(victimAsks(stage, "cold"), TRIPLE));
            stage.await(() -> stage.counters().failed() == 1, "the channel fails");
            assertThat(stage.counters().protocolViolations()).isEqualTo(1);
            stage.assertHealthy();
            stage.end();
        }
    }

    @Test
    void memoryThatAPeerMadeUpFailsItsOwnChannel() {
        try (var stage = new HostileStage(SEED)) {
            stage.connect();
            int index = stage.freshIndex();
            stage.scenario.send(VICTIM, ATTACKER, STEP, "wanted", 3, 1);
            stage.attacker.send(stage.request(index, "wanted"));
            stage.settle();
            stage.attacker.send(new Message.TensorReRequest(STEP, index, TRIPLE, 0x1000, 0xBAD));
            stage.await(() -> stage.counters().failed() == 1, "the channel fails");
            stage.assertHealthy();
            stage.end();
        }
    }

    @Test
    void metaDataThatNoMemoryHoldsFailTheReceiveAlone() {
        try (var stage = new HostileStage(SEED)) {
            stage.connect();
            for (int round = 0; round < 3; round++) {
                var receive = stage.scenario.receive(ATTACKER, VICTIM, STEP, "huge");
                var asked = await(stage);
                assertThat(asked.metaData())
                        .as("huge metadata must not be asked for again")
                        .isNull();
                stage.attacker.send(metaData(asked, HUGE));
                stage.await(receive::hasEnded, "the receive fails");
                assertThat(receive.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
                stage.attacker.send(confirm(asked.requestIndex()));
                stage.settle();
                assertThat(stage.statistics().pendingRequests()).isLessThanOrEqualTo(1);
            }
            assertThat(stage.counters().failed()).isZero();
            stage.assertHealthy();
            stage.end();
        }
    }

    @Test
    void stepsThatOnlyAPeerNamesEndWithItsRequests() {
        try (var stage = new HostileStage(SEED)) {
            int before = stage.statistics().openSteps();
            stage.connect();
            for (int i = 0; i < 500; i++) {
                stage.await(() -> stage.attacker.mayWrite(Attacker.CONTROL), "a credit");
                stage.attacker.send(new Message.TensorRequest(
                        stage.random.nextLong(),
                        stage.freshIndex(),
                        Scenario.key(VICTIM, ATTACKER, "absent").toString(),
                        null,
                        0,
                        0,
                        false));
            }
            stage.settle();
            assertThat(stage.statistics().openSteps()).isEqualTo(before + 500);
            stage.attacker.sendBytes(new byte[8]);
            stage.await(() -> stage.counters().failed() == 1, "the channel fails");
            assertThat(stage.statistics().openSteps()).isEqualTo(before);
            assertThat(stage.statistics().pendingResponses()).isLessThanOrEqualTo(1);
            stage.assertHealthy();
            stage.end();
        }
    }

    @Test
    void stringsWithoutABytePerElementFailTheReceiveAlone() {
        try (var stage = new HostileStage(SEED)) {
            stage.connect();
            var receive = stage.scenario.receive(ATTACKER, VICTIM, STEP, "strings");
            var asked = await(stage);
            stage.attacker.send(metaData(asked, new TensorMetaData(DataType.STRING, Shape.of(3), false, 0)));
            stage.settle();
            if (!receive.hasEnded()) {
                stage.attacker.content(asked.requestIndex(), 0, 0, 0);
            }
            stage.await(receive::hasEnded, "the receive fails");
            assertThat(receive.code()).isIn(StatusCode.DATA_LOSS, StatusCode.INVALID_ARGUMENT);
            stage.assertHealthy();
            stage.end();
        }
    }

    private static void immediate(HostileStage stage, int queuePair, int immediate) {
        stage.attacker.immediate(queuePair, immediate);
    }

    private static void flood(HostileStage stage) {
        // Refused one by one; the refusals wait for acknowledgements that never come.
        long failed = stage.counters().failed();
        for (int i = 0; i < 1000 && stage.counters().failed() == failed; i++) {
            stage.await(() -> stage.attacker.canPost(Attacker.CONTROL) || stage.attacker.hasFailed(), "a free slot");
            if (stage.attacker.canPost(Attacker.CONTROL)) {
                stage.attacker.send(requestFor(stage, VICTIM, HEALTHY));
            }
        }
    }

    private static void name(HostileStage stage, int nameId, String edge, @Nullable TensorMetaData expected) {
        String key = Scenario.key(VICTIM, ATTACKER, edge).toString();
        stage.attacker.send(new Message.TensorRequest(
                STEP,
                stage.freshIndex(),
                nameId,
                key,
                expected,
                expected == null ? 0 : 0x1000,
                expected == null ? 0 : 7,
                false,
                false));
    }

    private static Message.TensorRequest victimAsks(HostileStage stage, String edge) {
        stage.scenario.receive(ATTACKER, VICTIM, STEP, edge);
        return await(stage);
    }

    private static Message.TensorRequest await(HostileStage stage) {
        Message[] asked = new Message[1];
        stage.await(
                () -> {
                    Message message = stage.attacker.takeMessage();
                    if (message instanceof Message.TensorRequest) {
                        asked[0] = message;
                    }
                    return asked[0] != null;
                },
                "the victim's request");
        return (Message.TensorRequest) asked[0];
    }

    private static Message.MetaDataResponse metaData(Message.TensorRequest asked, TensorMetaData metaData) {
        return new Message.MetaDataResponse(STEP, asked.requestIndex(), metaData, OptionalLong.empty());
    }

    private static Message.MetaDataResponse deadWithContent(int index) {
        return new Message.MetaDataResponse(
                STEP, index, TensorMetaData.ofDead(), OptionalLong.empty(), ByteBuffer.allocate(0));
    }

    private static Message content(int index, int size) {
        return new Message.TensorContent(STEP, index, ByteBuffer.allocate(size));
    }

    private static Message.TensorReRequest reRequest(HostileStage stage, int index, TensorMetaData metaData) {
        return new Message.TensorReRequest(
                STEP, index, metaData, stage.attacker.contentAddress(), stage.attacker.contentKey());
    }

    private static Message.TensorRequest requestFor(HostileStage stage, int producer, int consumer) {
        return new Message.TensorRequest(
                STEP,
                stage.freshIndex(),
                Scenario.key(producer, consumer, "edge").toString(),
                null,
                0,
                0,
                false);
    }

    private static Message.ErrorStatus giveUp(int index) {
        return new Message.ErrorStatus(STEP, index, Message.Direction.TO_SENDER, StatusCode.CANCELLED, "given up");
    }

    private static Message.ErrorStatus confirm(int index) {
        return new Message.ErrorStatus(STEP, index, Message.Direction.TO_RECEIVER, StatusCode.CANCELLED, "confirmed");
    }
}
