package io.tensorferry.verbs.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/// Reads the messages of one slot of a ring, one after the other: each but the last says that another follows. Those
/// that come for each transfer are read into fields of this, without an object, any other as a [Message].
///
/// ```
/// open -> next -> what it says is there -> while hasMore: next ...
/// ```
///
/// Each message is copied once, before anything of it is looked at, its length and whether another follows too: the
/// peer may write the slot at any time. The bytes of a [Message.TensorContent] alone are left in the slot until
/// somebody takes them.
///
/// Owner: one thread.
public final class SlotReader {
    /// What [#next()] has found.
    public enum Kind {
        /// A [Message.RepeatedRequest]: has a step, a request index, a name id, an address and a remote key.
        REPEATED_REQUEST,
        /// A [Message.TensorContent]: has a step, a request index and a content.
        TENSOR_CONTENT,
        /// A [Message.EdgeCredit]: has an edge and a count.
        EDGE_CREDIT,
        /// Whatever [#message()] makes of it.
        OTHER
    }

    private static final int FIELDS_OF_CONTENT = MessageLayout.CONTENT_HEADER_BYTES - Long.BYTES;

    private final int slotBytes;
    private final MemorySegment copy;
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

    /// Goes on to the next message; returns what it is. One that is not well-formed is [Kind#OTHER].
    public Kind next() {
        offset += length;
        int room = slotBytes - offset;
        length = room;
        more = false;
        if (room < MessageCodec.MIN_MESSAGE_BYTES) {
            return Kind.OTHER;
        }
        long preamble = ring.get(MessageLayout.U64, slot + offset);
        long begin = preamble & ~MessageLayout.MORE_IN_PREAMBLE;
        copy.set(MessageLayout.U64, offset, begin);
        int claimed = (int) (begin >>> Integer.SIZE);
        if (claimed < MessageCodec.MIN_MESSAGE_BYTES || claimed > room || claimed % MessageLayout.ALIGNMENT != 0) {
            // The part behind an impossible length is not copied: the decoder refuses the length.
            return Kind.OTHER;
        }
        length = claimed;
        more = begin != preamble;
        if ((int) begin == MessageEncoder.CONTENT_PREAMBLE) {
            copyFrom(Long.BYTES, FIELDS_OF_CONTENT);
            if (isContent()) {
                return Kind.TENSOR_CONTENT;
            }
            // Whatever is wrong with it, the decoder says so.
        }
        copyFrom(Long.BYTES, length - Long.BYTES);
        if (begin == MessageEncoder.CREDIT_PREAMBLE && isEdgeCredit()) {
            return Kind.EDGE_CREDIT;
        }
        return begin == MessageEncoder.REPEATED_PREAMBLE && isRepeatedRequest() ? Kind.REPEATED_REQUEST : Kind.OTHER;
    }

    /// Goes on to the next message and makes a [Message] of it, whatever its kind: for readers that may allocate.
    ///
    /// @throws MalformedMessageException if there is anything but a well-formed message; no other exception is thrown
    public Message nextMessage() {
        return switch (next()) {
            case REPEATED_REQUEST ->
                new Message.RepeatedRequest(stepId(), requestIndex(), nameId(), address(), remoteKey());
            case TENSOR_CONTENT -> {
                byte[] content = new byte[contentBytes()];
                copyContent(MemorySegment.ofArray(content));
                yield new Message.TensorContent(stepId(), requestIndex(), ByteBuffer.wrap(content));
            }
            case EDGE_CREDIT -> new Message.EdgeCredit(edge(), edgeCount());
            case OTHER -> message();
        };
    }

    private void copyFrom(int start, int count) {
        MemorySegment.copy(
                ring,
                ValueLayout.JAVA_BYTE,
                slot + offset + start,
                copy,
                ValueLayout.JAVA_BYTE,
                (long) offset + start,
                count);
    }

    private boolean isContent() {
        int bytes = contentBytes();
        return RequestIndex.isValid(requestIndex())
                && bytes >= 0
                && bytes <= slotBytes
                && MessageLayout.paddedContent(bytes) == length
                && isPaddingZero(bytes % MessageLayout.ALIGNMENT);
    }

    /// @param used bytes of the last eight that are no padding; 0 for all
    private boolean isPaddingZero(int used) {
        return used == 0
                || ring.get(MessageLayout.U64, slot + offset + length - Long.BYTES) >>> (used * Byte.SIZE) == 0;
    }

    private boolean isRepeatedRequest() {
        return RequestIndex.isValid(requestIndex())
                && NameId.isValid(nameId())
                && copy.get(MessageLayout.U32, (long) offset + MessageLayout.REPEATED_RESERVED) == 0;
    }

    private boolean isEdgeCredit() {
        int edge = edge();
        return edge >= 0
                && edge < Immediate.EDGES
                && edgeCount() >= 0
                && copy.get(MessageLayout.U32, (long) offset + MessageLayout.CREDIT_RESERVED) == 0;
    }

    /// The present message, where it is [Kind#OTHER]. Nothing of it refers to the slot.
    ///
    /// @throws MalformedMessageException if there is anything but a well-formed message; no other exception is thrown
    public Message message() {
        return MessageDecoder.decode(copy.asSlice(offset, length));
    }

    /// Of a [Kind#EDGE_CREDIT], 0 to [Immediate#EDGES] - 1.
    public int edge() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.EDGE_NUMBER);
    }

    /// Of a [Kind#EDGE_CREDIT], 0 or more.
    public long edgeCount() {
        return copy.get(MessageLayout.U64, (long) offset + MessageLayout.EDGE_COUNT);
    }

    /// Of a request or a content.
    public long stepId() {
        return copy.get(MessageLayout.U64, (long) offset + MessageLayout.STEP_ID);
    }

    /// Of a request or a content.
    public int requestIndex() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.REQUEST_INDEX);
    }

    /// Of a [Kind#REPEATED_REQUEST].
    public int nameId() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.REPEATED_NAME_ID);
    }

    /// Of a [Kind#REPEATED_REQUEST].
    public long address() {
        return copy.get(MessageLayout.U64, (long) offset + MessageLayout.REMOTE_ADDRESS);
    }

    /// Of a [Kind#REPEATED_REQUEST].
    public int remoteKey() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.REMOTE_KEY);
    }

    /// Bytes of the content of a [Kind#TENSOR_CONTENT], 0 or more.
    public int contentBytes() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.CONTENT_SIZE);
    }

    /// Copies the content of a [Kind#TENSOR_CONTENT] to the start of `target`, whatever the peer has made of it by
    /// now.
    ///
    /// @param target at least [#contentBytes()] long
    public void copyContent(MemorySegment target) {
        MemorySegment.copy(ring, slot + offset + MessageLayout.CONTENT_HEADER_BYTES, target, 0, contentBytes());
    }
}
