package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageReader;

/// The receiving half of the ring of control messages: the memory that the peer writes, read slot after slot.
///
/// Owner: the loop.
final class IncomingRing {
    private final RegisteredBuffer buffer;
    private final int slots;
    private final int slotBytes;
    private final MessageReader reader = new MessageReader();
    private int nextSlot;
    private long offset;

    IncomingRing(RegisteredBuffer buffer, int slots, int slotBytes) {
        this.buffer = buffer;
        this.slots = slots;
        this.slotBytes = slotBytes;
    }

    RemoteRegion region() {
        return new RemoteRegion(buffer.address(), buffer.remoteKey());
    }

    /// Goes on to the next message, which may be written again by the peer once it is acknowledged.
    ///
    /// @return whether it is one that the reader has in its fields; otherwise [#message()] makes it
    /// @throws io.tensorferry.verbs.wire.MalformedMessageException if it is such a message, but not well-formed
    boolean nextIsRepeatedRequest() {
        offset = (long) nextSlot * slotBytes;
        nextSlot = nextSlot + 1 == slots ? 0 : nextSlot + 1;
        return reader.readRepeatedRequest(buffer.segment(), offset, slotBytes);
    }

    /// The message, if it is of another kind. Nothing of it refers to the slot.
    ///
    /// @throws io.tensorferry.verbs.wire.MalformedMessageException if the slot holds anything but a well-formed
    ///     message
    Message message() {
        return reader.read(buffer.segment(), offset, slotBytes);
    }

    MessageReader reader() {
        return reader;
    }
}
