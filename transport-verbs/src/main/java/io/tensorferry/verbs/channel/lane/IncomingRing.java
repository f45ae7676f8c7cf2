package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.SlotReader;

/// The receiving half of the ring of control messages: the memory that the peer writes, read slot by slot.
///
/// Owner: the loop.
public final class IncomingRing {
    private final RegisteredBuffer buffer;
    private final int slots;
    private final int slotBytes;
    private final SlotReader reader;
    private int nextSlot;

    public IncomingRing(RegisteredBuffer buffer, int slots, int slotBytes) {
        this.buffer = buffer;
        this.slots = slots;
        this.slotBytes = slotBytes;
        this.reader = new SlotReader(slotBytes);
    }

    /// Advances to the next slot. The peer may write it again once it is acknowledged.
    ///
    /// @return a reader of the slot's messages, of which there is at least one; valid until the next call
    public SlotReader openSlot() {
        reader.open(buffer.segment(), (long) nextSlot * slotBytes);
        nextSlot = nextSlot + 1 == slots ? 0 : nextSlot + 1;
        return reader;
    }
}
