package io.tensorferry.verbs.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/// Reads the messages of one ring slot in sequence; a flag in each marks whether another follows. Messages that arrive
/// for each transfer are read into fields of this reader without an object, all others as a [Message].
///
/// ```
/// open -> next -> read the fields of its kind -> while hasMore: next ...
/// ```
///
/// Each message is copied once, before any check of its content, length or flag, because the peer may write the slot at
/// any time. Only the bytes of a [Message.TensorContent] stay in the slot until [#copyContent].
///
/// Owner: one thread.
public final class SlotReader {
    /// The kind of the message that [#next()] found.
    public enum Kind {
        /// A [Message.RepeatedRequest], with a step, a request index, a name id, an address and an rkey.
        REPEATED_REQUEST,
        /// A [Message.TensorContent], with a step, a request index and a content.
        TENSOR_CONTENT,
        /// A [Message.EdgeCredit], with an edge and a count.
        EDGE_CREDIT,
        /// Any other message, which [#message()] decodes.
        OTHER
    }

    private static final int FIELDS_OF_CONTENT = MessageLayout.CONTENT_HEADER_BYTES - Long.BYTES;

    private final int slotBytes;
    private final MemorySegment copy;
    private MemorySegment ring = MemorySegment.NULL;
    private long slot;
    // Offset of the current message in the slot and in the copy, its length, and whether another follows it.
    private int offset;
    private int length;
    private boolean more;

    /// @param slotBytes bytes of a slot, a multiple of 8
    public SlotReader(int slotBytes) {
        this.slotBytes = slotBytes;
        this.copy = MemorySegment.ofArray(new long[slotBytes / Long.BYTES]);
    }

    /// Starts with the slot at `offset` of `ring`.
    public void open(MemorySegment ring, long offset) {
        this.ring = ring;
        this.slot = offset;
        this.offset = 0;
        this.length = 0;
        this.more = true;
    }

    /// Whether another message follows in this slot, according to the last message; true for a slot that was just
    /// opened.
    public boolean hasMore() {
        return more;
    }

    /// Advances to the next message and returns its kind. A malformed message is [Kind#OTHER].
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
            // With an impossible length, the rest is not copied: the decoder rejects the length.
            return Kind.OTHER;
        }
        length = claimed;
        more = begin != preamble;
        if ((int) begin == MessageEncoder.CONTENT_PREAMBLE) {
            copyFrom(Long.BYTES, FIELDS_OF_CONTENT);
            if (isContent()) {
                return Kind.TENSOR_CONTENT;
            }
            // The decoder rejects it with the precise reason.
        }
        copyFrom(Long.BYTES, length - Long.BYTES);
        if (begin == MessageEncoder.CREDIT_PREAMBLE && isEdgeCredit()) {
            return Kind.EDGE_CREDIT;
        }
        return begin == MessageEncoder.REPEATED_PREAMBLE && isRepeatedRequest() ? Kind.REPEATED_REQUEST : Kind.OTHER;
    }

    /// Advances to the next message and decodes it, regardless of its kind: for readers that may allocate.
    ///
    /// @throws MalformedMessageException if the bytes are not a well-formed message; no other exception is thrown
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

    /// @param used bytes of the last eight that are not padding; 0 for all
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

    /// Decodes the current message, if its kind is [Kind#OTHER]. The result does not refer to the slot.
    ///
    /// @throws MalformedMessageException if the bytes are not a well-formed message; no other exception is thrown
    public Message message() {
        return MessageDecoder.decode(copy.asSlice(offset, length));
    }

    /// Edge number of a [Kind#EDGE_CREDIT], 0 to [Immediate#EDGES] - 1.
    public int edge() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.EDGE_NUMBER);
    }

    /// Released tensors of a [Kind#EDGE_CREDIT], 0 or more.
    public long edgeCount() {
        return copy.get(MessageLayout.U64, (long) offset + MessageLayout.EDGE_COUNT);
    }

    /// Step of a request or a content.
    public long stepId() {
        return copy.get(MessageLayout.U64, (long) offset + MessageLayout.STEP_ID);
    }

    /// Request index of a request or a content.
    public int requestIndex() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.REQUEST_INDEX);
    }

    /// Name id of a [Kind#REPEATED_REQUEST].
    public int nameId() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.REPEATED_NAME_ID);
    }

    /// Destination address of a [Kind#REPEATED_REQUEST].
    public long address() {
        return copy.get(MessageLayout.U64, (long) offset + MessageLayout.REMOTE_ADDRESS);
    }

    /// The rkey of a [Kind#REPEATED_REQUEST].
    public int remoteKey() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.REMOTE_KEY);
    }

    /// Size in bytes of the content of a [Kind#TENSOR_CONTENT], 0 or more.
    public int contentBytes() {
        return copy.get(MessageLayout.U32, (long) offset + MessageLayout.CONTENT_SIZE);
    }

    /// Copies the content of a [Kind#TENSOR_CONTENT] to the start of `target`. The peer may have changed the bytes
    /// since [#next()].
    ///
    /// @param target at least [#contentBytes()] long
    public void copyContent(MemorySegment target) {
        MemorySegment.copy(ring, slot + offset + MessageLayout.CONTENT_HEADER_BYTES, target, 0, contentBytes());
    }
}
