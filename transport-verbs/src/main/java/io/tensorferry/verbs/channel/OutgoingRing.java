package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import java.util.ArrayDeque;

/// The sending half of the ring of control messages: encodes each into the next slot and writes it to the same slot
/// at the peer.
///
/// A slot is used again when the peer has acknowledged its message.
///
/// Owner: the loop.
final class OutgoingRing {
    private final RegisteredBuffer staging;
    private final RemoteRegion remote;
    private final int slots;
    private final int slotBytes;
    private final ArrayDeque<Message> waiting = new ArrayDeque<>();
    private int nextSlot;
    private int freeSlots;

    OutgoingRing(RegisteredBuffer staging, RemoteRegion remote, int slots, int slotBytes) {
        this.staging = staging;
        this.remote = remote;
        this.slots = slots;
        this.slotBytes = slotBytes;
        this.freeSlots = slots;
    }

    void enqueue(Message message) {
        waiting.add(message);
    }

    /// Posts messages as far as slots, receives at the peer and the send queue allow; returns how many.
    int pump(Lane control) {
        int count = 0;
        while (freeSlots > 0 && control.hasFreeSendSlot() && control.credits().maySend()) {
            Message message = waiting.poll();
            if (message == null) {
                break;
            }
            long offset = (long) nextSlot * slotBytes;
            int length = MessageCodec.encode(message, staging.segment().asSlice(offset, slotBytes));
            nextSlot = nextSlot + 1 == slots ? 0 : nextSlot + 1;
            freeSlots--;
            control.postMessage(
                    staging.address() + offset,
                    length,
                    staging.localKey(),
                    remote.address() + offset,
                    remote.remoteKey());
            count++;
        }
        return count;
    }

    /// Whether all messages are on their way.
    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /// The peer has taken so many messages more.
    void onAcknowledged(int messages) {
        freeSlots += messages;
    }
}
