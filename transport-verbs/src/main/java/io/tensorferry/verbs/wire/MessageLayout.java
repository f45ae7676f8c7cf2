package io.tensorferry.verbs.wire;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/// Field offsets of a control message, version 2. The table in `docs/protocol.md` is the definition; this class is its
/// transcription.
final class MessageLayout {
    static final int MAGIC_VALUE = 0x4654;
    static final int VERSION_VALUE = 2;

    static final int TYPE_META_DATA_RESPONSE = 0;
    static final int TYPE_TENSOR_RE_REQUEST = 1;
    static final int TYPE_TENSOR_REQUEST = 2;
    static final int TYPE_ERROR_STATUS = 3;
    static final int TYPE_HEARTBEAT = 4;
    static final int TYPE_RESUMED = 5;
    static final int TYPE_REPEATED_REQUEST = 6;
    static final int TYPE_TENSOR_CONTENT = 7;
    static final int TYPE_EDGE_OFFER = 8;
    static final int TYPE_EDGE_STATUS = 9;
    static final int TYPE_EDGE_CREDIT = 10;
    static final int TYPE_DYNAMIC_OFFER = 11;
    static final int TYPE_EDGE_TENSOR = 12;
    static final int TYPE_PART_OPEN = 13;
    static final int TYPE_PART_GRANT = 14;
    static final int TYPE_PART_STATUS = 15;
    static final int TYPE_TENSOR_PIECE = 16;

    /// Flag in the type byte: another message follows in the same slot.
    static final int MORE = 1 << 7;

    /// The same flag in the first eight bytes of a message, read as one number.
    static final long MORE_IN_PREAMBLE = (long) MORE << 24;

    static final int FLAG_DEAD = 1;
    static final int FLAG_META_DATA = 1 << 1;
    static final int FLAG_CHECKSUM = 1 << 2;
    static final int FLAG_WANTS_CHECKSUM = 1 << 3;
    static final int FLAG_TO_SENDER = 1 << 4;
    static final int FLAG_REPLAY = 1 << 5;
    static final int FLAG_CONTENT = 1 << 6;
    static final int FLAG_IN_PIECES = 1 << 7;
    /// In an offer of an edge, these bits have other meanings.
    static final int FLAG_TWO_PLACES = 1 << 2;

    static final int FLAG_CREDIT = 1 << 3;

    static final int MAGIC = 0;
    static final int VERSION = 2;
    static final int TYPE = 3;
    static final int LENGTH = 4;
    static final int STEP_ID = 8;
    static final int REQUEST_INDEX = 16;
    static final int REMOTE_KEY = 20;
    static final int REMOTE_ADDRESS = 24;
    static final int TENSOR_BYTES = 32;
    static final int CHECKSUM = 40;
    static final int NAME_ID = 44;
    static final int DATA_TYPE = 48;
    static final int FLAGS = 52;
    static final int RANK = 53;
    static final int NAME_SIZE = 54;
    static final int STATUS_CODE = 56;
    static final int STATUS_SIZE = 60;
    static final int HEADER_BYTES = 64;

    /// A repeated request has the common fields up to the remote address, followed by its own.
    static final int REPEATED_NAME_ID = 32;
    static final int REPEATED_RESERVED = 36;
    static final int REPEATED_BYTES = 40;

    /// A tensor piece has the common fields up to the remote address, followed by its own.
    static final int PIECE_SIZE = 32;
    static final int PIECE_NUMBER = 36;
    static final int PIECE_BYTES = 40;

    /// A tensor content has the common fields up to the request index.
    static final int CONTENT_SIZE = 20;
    static final int CONTENT_HEADER_BYTES = 24;

    /// Messages about an edge have a count of tensors and the edge number in place of the step and the request index.
    static final int EDGE_COUNT = STEP_ID;

    static final int EDGE_NUMBER = REQUEST_INDEX;
    static final int EDGE_UNRELEASED = CHECKSUM;
    static final int EDGE_SLOTS = CHECKSUM;
    static final int EDGE_OPENING = NAME_ID;
    static final int CREDIT_RESERVED = 20;
    static final int CREDIT_BYTES = 24;

    /// Messages about a part have the first row and the part number in their place.
    static final int PART_FIRST_ROW = STEP_ID;

    static final int PART_NUMBER = REQUEST_INDEX;

    /// Limit for a request that assigns a name id, an offer of an edge, and a request for a part. It bounds the memory
    /// taken by a peer's names.
    static final int MAX_NAMING_BYTES = HEADER_BYTES + 512;

    static final int ALIGNMENT = 8;
    static final int MAX_NAME_BYTES = 0xFFFF;
    /// Longer than any useful status text; it bounds the bytes that a decoder copies.
    static final int MAX_STATUS_BYTES = 0xFFFF;

    /// The slots of a ring need not be aligned for a decoder, so no layout requires alignment.
    static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;

    static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private MessageLayout() {}

    /// The length of a message with these parts, padding included.
    static int paddedLength(int rank, int nameBytes, int statusBytes) {
        return padded(HEADER_BYTES + rank * Long.BYTES + nameBytes + statusBytes);
    }

    /// The length of a message with only a content, padding included.
    static int paddedContent(int contentBytes) {
        return padded(CONTENT_HEADER_BYTES + contentBytes);
    }

    private static int padded(int length) {
        return (length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
