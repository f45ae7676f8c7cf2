package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Messages whose bytes are taken when they are posted. A device need not grant any.
abstract class InlineContract extends DeviceContract {
    private static final int WANTED = 64;
    private static final int NO_KEY = 0x5A5A_5A5A;

    private final SendWorkRequest request = new SendWorkRequest();

    private void connectInline() {
        connect(settings -> settings.inlineBytes = WANTED);
        fill(one.memory, 1);
        fill(other.memory, 2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 64, 200, 1 << 20})
    void noMoreIsGrantedThanAskedFor(int wanted) {
        makeEndpoints(settings -> {});
        try (QueuePair queuePair =
                one.domain.createQueuePair(new QueuePairOptions(one.completions, one.completions, 4, 4, wanted))) {
            assertThat(queuePair.maxInlineBytes()).isBetween(0, wanted);
        }
    }

    @Test
    void aLongerMessageThanGrantedIsRefusedAndTheNextOneGoes() {
        connectInline();
        request.write(
                1,
                one.region.address(),
                one.queuePair.maxInlineBytes() + 1L,
                one.region.localKey(),
                other.region.address(),
                other.region.remoteKey());
        request.inline = true;
        assertErrno(VerbsException.EINVAL, () -> one.queuePair.postSend(request));
        assertThat(one.queuePair.state()).isEqualTo(QueuePairState.RTS);
        one.write(2, 0, 8, other, 8);
        assertThat(onlyCompletion(one).workId()).isEqualTo(2);
    }

    @Test
    void anEmptyMessageIsInlineOnEveryDevice() {
        connectInline();
        other.queuePair.postReceive(1);
        request.writeWithImmediate(2, 0, 0, 0, 0, 0, 3);
        request.inline = true;
        one.queuePair.postSend(request);
        assertThat(onlyCompletion(one).status()).isEqualTo(WorkStatus.SUCCESS);
        assertThat(onlyCompletion(other).immediate()).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(
            names = {"RDMA_READ", "BIND_MW", "LOCAL_INV"},
            mode = EnumSource.Mode.EXCLUDE)
    void theMemoryIsFreeAtOnceAndNeedsNoRegistration(SendWorkRequest.Opcode opcode) {
        connectInline();
        int bytes = one.queuePair.maxInlineBytes();
        assumeTrue(bytes > 0, () -> one.device.name() + " grants no inline messages");
        try (var arena = Arena.ofShared()) {
            MemorySegment unregistered = arena.allocate(bytes);
            for (int round = 0; round < 20; round++) {
                fill(unregistered, round);
                byte[] expected = unregistered.toArray(ValueLayout.JAVA_BYTE);
                other.receive(round, 0, bytes);
                request.writeWithImmediate(
                        round,
                        unregistered.address(),
                        bytes,
                        NO_KEY,
                        other.region.address(),
                        other.region.remoteKey(),
                        round);
                request.opcode = opcode;
                request.inline = true;
                one.queuePair.postSend(request);
                unregistered.fill((byte) 0x77);
                awaitCompletions(one, round + 1);
                assertThat(one.completed.getLast().status()).isEqualTo(WorkStatus.SUCCESS);
                if (opcode != SendWorkRequest.Opcode.RDMA_WRITE) {
                    awaitCompletions(other, round + 1);
                }
                assertSame(other.memory.asSlice(0, bytes), MemorySegment.ofArray(expected));
            }
        }
    }

    @Test
    void inlineAndOtherMessagesKeepTheirOrder() {
        connectInline();
        int bytes = Math.min(8, one.queuePair.maxInlineBytes());
        assumeTrue(bytes > 0, () -> one.device.name() + " grants no inline messages");
        for (int i = 0; i < 40; i++) {
            other.receive(i, 0, one.memory.byteSize());
            request.send(i, one.region.address(), i % 2 == 0 ? bytes : 10_000, one.region.localKey());
            request.inline = i % 2 == 0;
            one.queuePair.postSend(request);
        }
        awaitCompletions(one, 40);
        awaitCompletions(other, 40);
        for (int i = 0; i < 40; i++) {
            assertThat(other.completed.get(i).workId()).isEqualTo(i);
            assertThat(other.completed.get(i).byteLength()).isEqualTo(i % 2 == 0 ? bytes : 10_000);
        }
    }
}
