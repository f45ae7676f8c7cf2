package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;

/// The receiving half of the ring of control messages: the memory that the peer writes, read slot after slot.
///
/// Owner: the loop.
final class IncomingRing {
    private final RegisteredBuffer buffer;
    private final int slots;
    private final int slotBytes;
    private int nextSlot;

    IncomingRing(RegisteredBuffer buffer, int slots, int slotBytes) {
        this.buffer = buffer;
        this.slots = slots;
        this.slotBytes = slotBytes;
    }

    RemoteRegion region() {
        return new RemoteRegion(buffer.address(), buffer.remoteKey());
    }

    /// The next message. The slot is free afterwards: nothing of the message refers to it.
    ///
    /// @throws io.tensorferry.verbs.wire.MalformedMessageException if the slot holds anything but a well-formed
    ///     message
    Message take() {
        long offset = (long) nextSlot * slotBytes;
        nextSlot = nextSlot + 1 == slots ? 0 : nextSlot + 1;
        return MessageCodec.decode(buffer.segment().asSlice(offset, slotBytes));
    }
}
