package io.tensorferry.verbs.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// Reads the messages of one slot of a ring, one after the other: each but the last says that another follows.
///
/// ```
/// open -> nextIsRepeatedRequest -> repeatedRequest or message -> while hasMore: nextIsRepeatedRequest ...
/// ```
///
/// Each message is copied once, before anything of it is looked at, its length and whether another follows too: the
/// peer may write the slot at any time.
///
/// Owner: one thread.
public final class SlotReader {
    private final int slotBytes;
    private final MemorySegment copy;
    private final MessageReader reader = new MessageReader();
    private MemorySegment ring = MemorySegment.NULL;
    private long slot;
    // Of the present message in the slot and in the copy, its length, and whether another follows it.
    private int offset;
    private int length;
    private boolean more;

    /// @param slotBytes bytes of a slot, a multiple of 8
    public SlotReader(int slotBytes) {
        this.slotBytes = slotBytes;
        this.copy = MemorySegment.ofArray(new long[slotBytes / Long.BYTES]);
    }

    /// Begins with the slot at `offset` of `ring`.
    public void open(MemorySegment ring, long offset) {
        this.ring = ring;
        this.slot = offset;
        this.offset = 0;
        this.length = 0;
        this.more = true;
    }

    /// Whether another message follows in this slot, as the last one said; true for a slot that was just opened.
    public boolean hasMore() {
        return more;
    }

    /// Goes on to the next message; returns whether it is a [Message.RepeatedRequest], which [#repeatedRequest()] has,
    /// and not one that [#message()] makes.
    ///
    /// @throws MalformedMessageException if it is such a message, but not a well-formed one
    public boolean nextIsRepeatedRequest() {
        offset += length;
        int room = slotBytes - offset;
        length = room;
        more = false;
        if (room >= Long.BYTES) {
            copyMessage(room);
        }
        return reader.readRepeatedRequest(copy, offset, length);
    }

    /// The part behind an impossible length is not copied: the decoder refuses the length.
    private void copyMessage(int room) {
        long preamble = ring.get(MessageLayout.U64, slot + offset);
        boolean follows = (preamble & MessageLayout.MORE_IN_PREAMBLE) != 0;
        copy.set(MessageLayout.U64, offset, preamble & ~MessageLayout.MORE_IN_PREAMBLE);
        int claimed = copy.get(MessageLayout.U32, (long) offset + MessageLayout.LENGTH);
        if (claimed >= MessageCodec.MIN_MESSAGE_BYTES && claimed <= room && claimed % MessageLayout.ALIGNMENT == 0) {
            length = claimed;
            more = follows;
            MemorySegment.copy(
                    ring,
                    ValueLayout.JAVA_BYTE,
                    slot + offset + Long.BYTES,
                    copy,
                    ValueLayout.JAVA_BYTE,
                    (long) offset + Long.BYTES,
                    (long) length - Long.BYTES);
        }
    }

    /// The fields of the present message, a [Message.RepeatedRequest].
    public MessageReader repeatedRequest() {
        return reader;
    }

    /// The present message, where it is none that [#repeatedRequest()] has. Nothing of it refers to the slot.
    ///
    /// @throws MalformedMessageException if there is anything but a well-formed message; no other exception is thrown
    public Message message() {
        return reader.read(copy, offset, length);
    }
}
