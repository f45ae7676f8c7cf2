package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.STEP;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.wire.Message;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What a member that breaks the rules can do to memory that he was given a key for: with keys of requests he writes
/// that request's bytes, over its lane, until its content has come; with keys of slabs he writes more.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class HostileWindowTest {
    private static final long SEED = 20_260_202;
    private static final int SIZE = 128;
    private static final byte VICTIMS_OWN = 5;

    private static HostileStage connected(RemoteKeyScope scope) {
        var stage = new HostileStage(SEED, SimulatedCluster.Options.defaults().withRkeyScope(scope));
        stage.connect();
        stage.attacker.contentMemory().fill((byte) 1);
        return stage;
    }

    /// The victim asks for a tensor that it has asked for before, and so names memory in its first message.
    private static Message.TensorRequest warmRequest(HostileStage stage, Scenario.Receive[] second) {
        Scenario.Receive first = stage.scenario.receive(ATTACKER, VICTIM, STEP, "known");
        int index = take(stage, Message.TensorRequest.class).requestIndex();
        stage.attacker.send(new Message.MetaDataResponse(
                STEP, index, TensorMetaData.of(DataType.UINT8, Shape.of(SIZE)), OptionalLong.empty()));
        Message.TensorReRequest again = take(stage, Message.TensorReRequest.class);
        stage.attacker.content(index, SIZE, again.address(), again.remoteKey());
        stage.await(first::hasEnded, "the first receive");
        first.close();
        second[0] = stage.scenario.receive(ATTACKER, VICTIM, STEP, "known");
        return take(stage, Message.TensorRequest.class);
    }

    private static <M extends Message> M take(HostileStage stage, Class<M> type) {
        Message[] taken = new Message[1];
        stage.await(
                () -> {
                    Message message = stage.attacker.takeMessage();
                    if (type.isInstance(message)) {
                        taken[0] = message;
                    }
                    return taken[0] != null;
                },
                "a " + type.getSimpleName());
        return type.cast(taken[0]);
    }

    /// A tensor of the victim that lies in the same slab as everything else, and was named to nobody.
    private static Tensor secret(HostileStage stage) {
        return Scenario.bytes(stage.victim, SIZE, VICTIMS_OWN);
    }

    private static boolean isIntact(Tensor tensor) {
        byte[] expected = new byte[SIZE];
        Arrays.fill(expected, VICTIMS_OWN);
        return tensor.segment().mismatch(MemorySegment.ofArray(expected)) == -1;
    }

    private static void assertRefused(HostileStage stage) {
        stage.await(stage.attacker::hasFailed, "the attacker's channel fails");
        stage.assertHealthy();
    }

    @Test
    void aKeyOfARequestOpensNothingButItsOwnBytes() {
        try (var stage = connected(RemoteKeyScope.REQUEST)) {
            var receive = new Scenario.Receive[1];
            Message.TensorRequest asked = warmRequest(stage, receive);
            Tensor secret = secret(stage);
            stage.attacker.content(asked.requestIndex(), SIZE, secret.segment().address(), asked.remoteKey());
            assertRefused(stage);
            assertThat(isIntact(secret)).isTrue();
            secret.close();
            stage.end();
        }
    }

    @Test
    void aKeyOfARequestDoesNotOpenTheByteBehind() {
        try (var stage = connected(RemoteKeyScope.REQUEST)) {
            Message.TensorRequest asked = warmRequest(stage, new Scenario.Receive[1]);
            stage.attacker.content(asked.requestIndex(), SIZE, asked.address() + 1, asked.remoteKey());
            assertRefused(stage);
            stage.end();
        }
    }

    @Test
    void aKeyOfARequestOpensNothingOverAnotherQueuePair() {
        try (var stage = connected(RemoteKeyScope.REQUEST)) {
            Message.TensorRequest asked = warmRequest(stage, new Scenario.Receive[1]);
            stage.attacker.writeOver(Attacker.CONTROL, SIZE, asked.address(), asked.remoteKey());
            assertRefused(stage);
            stage.end();
        }
    }

    @Test
    void aKeyOfARequestOpensNothingAfterTheContentHasCome() {
        try (var stage = connected(RemoteKeyScope.REQUEST)) {
            var receive = new Scenario.Receive[1];
            Message.TensorRequest asked = warmRequest(stage, receive);
            stage.attacker.content(asked.requestIndex(), SIZE, asked.address(), asked.remoteKey());
            stage.await(receive[0]::hasEnded, "the receive");
            stage.attacker.contentMemory().fill((byte) 2);
            stage.attacker.content(asked.requestIndex(), SIZE, asked.address(), asked.remoteKey());
            assertRefused(stage);
            stage.scenario.assertContent(receive[0], SIZE, 1);
            stage.end();
        }
    }

    /// The window of the first request serves the second: only the key's low bits tell one from the other.
    @Test
    void theKeyOfAnEarlierRequestIsRefused() {
        try (var stage = connected(RemoteKeyScope.REQUEST)) {
            var receive = new Scenario.Receive[1];
            Message.TensorRequest earlier = warmRequest(stage, receive);
            stage.attacker.content(earlier.requestIndex(), SIZE, earlier.address(), earlier.remoteKey());
            stage.await(receive[0]::hasEnded, "the receive");
            for (int i = 0; i < 40; i++) {
                Scenario.Receive next = stage.scenario.receive(ATTACKER, VICTIM, STEP, "known");
                Message.TensorRequest asked = take(stage, Message.TensorRequest.class);
                assertThat(asked.remoteKey()).isNotEqualTo(earlier.remoteKey());
                if (asked.remoteKey() >>> 8 == earlier.remoteKey() >>> 8) {
                    stage.attacker.content(asked.requestIndex(), SIZE, asked.address(), earlier.remoteKey());
                    assertRefused(stage);
                    receive[0].close();
                    stage.end();
                    return;
                }
                stage.attacker.content(asked.requestIndex(), SIZE, asked.address(), asked.remoteKey());
                stage.await(next::hasEnded, "the receive");
                next.close();
            }
            throw new AssertionError("no window came back");
        }
    }

    /// What the ring's key opens is the ring alone.
    @Test
    void theKeyOfTheRingOpensNothingElse() {
        try (var stage = connected(RemoteKeyScope.REQUEST)) {
            Tensor secret = secret(stage);
            stage.attacker.writeOver(
                    Attacker.CONTROL,
                    SIZE,
                    secret.segment().address(),
                    stage.attacker.ring().remoteKey());
            assertRefused(stage);
            assertThat(isIntact(secret)).isTrue();
            secret.close();
            stage.end();
        }
    }

    /// Why there are keys of requests: it is the same attack as above, and it succeeds.
    @Test
    void aKeyOfASlabOpensAllOfIt() {
        try (var stage = connected(RemoteKeyScope.SLAB)) {
            Tensor secret = secret(stage);
            stage.attacker.writeOver(
                    Attacker.LANE,
                    SIZE,
                    secret.segment().address(),
                    stage.attacker.ring().remoteKey());
            stage.settle();
            assertThat(isIntact(secret)).isFalse();
            secret.close();
            stage.end();
        }
    }
}
