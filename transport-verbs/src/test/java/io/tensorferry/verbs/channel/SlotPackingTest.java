package io.tensorferry.verbs.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.verbs.channel.RecordingQueuePair.Sent;
import io.tensorferry.verbs.device.ChosenPort;
import io.tensorferry.verbs.device.DeviceChoice;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.RdmaConfig;
import io.tensorferry.verbs.device.software.simulated.SimulatedFabric;
import io.tensorferry.verbs.memory.MemoryOptions;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.RequestIndex;
import io.tensorferry.verbs.wire.SlotReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// How messages that wait are laid into the slots of the ring.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SlotPackingTest {
    private static final int SLOTS = 16;
    private static final int SLOT_BYTES = 4096;

    private final ChosenPort port =
            DeviceChoice.choose(RdmaConfig.builder().build(), List.of(new SimulatedFabric(1).provider("node")));
    private final ProtectionDomain domain = port.device().allocateProtectionDomain();
    private final RegisteredMemory memory = new RegisteredMemory(domain, MemoryOptions.defaults());
    private final RegisteredBuffer staging = memory.allocate(SLOTS * SLOT_BYTES);
    private final RecordingQueuePair queuePair = new RecordingQueuePair();
    private final Lane control =
            new Lane(0, queuePair, 1024, 4096, SLOTS + ImmediateCredits.RESERVE, SLOTS / 4, PostingOptions.defaults());
    private final OutgoingRing ring =
            new OutgoingRing(staging, new RemoteRegion(1L << 40, 1), SLOTS, SLOT_BYTES, SLOT_BYTES);

    @AfterEach
    void close() {
        staging.close();
        memory.close();
        domain.close();
        port.device().close();
    }

    private static Message status(int number, int textBytes) {
        return new Message.ErrorStatus(
                number,
                RequestIndex.of(number, 0),
                Message.Direction.TO_SENDER,
                StatusCode.CANCELLED,
                "x".repeat(textBytes));
    }

    private List<Message> inSlot(int slot) {
        var reader = new SlotReader(SLOT_BYTES);
        reader.open(staging.segment(), (long) slot * SLOT_BYTES);
        var found = new ArrayList<Message>();
        do {
            assertThat(reader.nextIsRepeatedRequest()).isFalse();
            found.add(reader.message());
        } while (reader.hasMore());
        return found;
    }

    @Test
    void whatWaitsTogetherGoesInOneWrite() {
        List<Message> messages = List.of(new Message.Resumed(), status(1, 5), new Message.Heartbeat());
        messages.forEach(ring::enqueue);
        assertThat(ring.pump(control)).isEqualTo(3);
        control.submit();
        assertThat(queuePair.sent()).hasSize(1);
        assertThat(queuePair.sent().getFirst().length()).isEqualTo(64 + 72 + 64);
        assertThat(inSlot(0)).isEqualTo(messages);
    }

    @Test
    void aMessageThatComesAloneGoesAlone() {
        for (int i = 0; i < 3; i++) {
            ring.enqueue(status(i, 0));
            assertThat(ring.pump(control)).isEqualTo(1);
            assertThat(inSlot(i)).containsExactly(status(i, 0));
        }
    }

    @Test
    void whatDoesNotFitGoesIntoTheNextSlotAndATextIsCutOnlyThere() {
        ring.enqueue(status(1, 1000));
        ring.enqueue(status(2, 10_000));
        ring.enqueue(status(3, 0));
        assertThat(ring.pump(control)).isEqualTo(3);
        assertThat(inSlot(0)).containsExactly(status(1, 1000));
        assertThat(inSlot(1)).containsExactly(status(2, SLOT_BYTES - 64));
        assertThat(inSlot(2)).containsExactly(status(3, 0));
    }

    /// Whatever the sizes, however they come: each once, in order; and slots are used again only when they were
    /// acknowledged.
    @Test
    void allComeInTheirOrder() {
        var random = new Random(7);
        var sent = new ArrayList<Message>();
        var arrived = new ArrayList<Message>();
        int slots = 0;
        while (arrived.size() < 2_000) {
            for (int i = random.nextInt(40); i > 0 && sent.size() < 2_000; i--) {
                Message message = status(sent.size(), random.nextInt(SLOT_BYTES - 64));
                sent.add(message);
                ring.enqueue(message);
            }
            ring.pump(control);
            control.submit();
            List<Sent> writes = queuePair.sent();
            assertThat(writes.size() - slots).isLessThanOrEqualTo(SLOTS);
            while (writes.size() - slots >= SLOTS / 4) {
                for (int i = 0; i < SLOTS / 4; i++) {
                    arrived.addAll(inSlot(slots++ % SLOTS));
                }
                ring.onAcknowledged(control.onAcknowledgement());
            }
            if (sent.size() == 2_000 && ring.isIdle()) {
                while (slots < writes.size()) {
                    arrived.addAll(inSlot(slots++ % SLOTS));
                }
            }
            PostedWork posted = control.posted();
            while (!posted.isEmpty()) {
                posted.removeOldest();
            }
        }
        assertThat(arrived).isEqualTo(sent);
    }
}
