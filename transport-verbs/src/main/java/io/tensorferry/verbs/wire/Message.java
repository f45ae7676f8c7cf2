package io.tensorferry.verbs.wire;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A control message from one end of a channel to the other. Immutable.
///
/// Every instance obeys the protocol: the constructors throw [IllegalArgumentException] for invalid values.
public sealed interface Message extends OutgoingMessage {
    @Override
    default int encodedSize() {
        return MessageEncoder.encodedSize(this);
    }

    @Override
    default int encode(MemorySegment target, long offset, int room) {
        return MessageEncoder.encode(this, target.asSlice(offset, room));
    }

    /// A message about one request, between the receiver of the tensor, which owns the request, and its sender.
    sealed interface OfRequest extends Message {
        /// The step of the request.
        long stepId();

        /// The receiver's [RequestIndex] of the request.
        int requestIndex();
    }

    /// A sign of life of the sending process, without content.
    record Heartbeat() implements Message {}

    /// Receiver to sender, once on each channel: all requests of earlier channels that have not ended have been
    /// repeated. The content of all other requests has arrived or is not wanted.
    record Resumed() implements Message {}

    /// Receiver to sender: requests the tensor of a key, and names the destination memory for the case that the tensor
    /// has the expected metadata.
    ///
    /// @param nameId the [NameId] that from now on stands for this key, this metadata and `wantsChecksum`, or
    /// [NameId#NONE]; with an id, the message must be short, [MessageCodec#mayName]
    /// @param key the rendezvous key as text; not empty, well-formed Unicode
    /// @param metaData the metadata that the receiver has allocated memory for, or null if unknown; then `address` and
    /// `remoteKey` are 0
    /// @param address destination of the content; 0 without content (`metaData.byteSize()` is 0)
    /// @param remoteKey rkey of the memory at `address`; 0 without content
    /// @param wantsChecksum whether the receiver validates data, so that it needs a [MetaDataResponse] with a checksum
    /// @param replay whether the same request, with the same index, was sent on an earlier channel that was lost
    record TensorRequest(
            long stepId,
            int requestIndex,
            int nameId,
            String key,
            @Nullable TensorMetaData metaData,
            long address,
            int remoteKey,
            boolean wantsChecksum,
            boolean replay)
            implements OfRequest {
        public TensorRequest {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkKey(key);
            MessageRules.checkNaming(nameId, key, metaData);
            MessageRules.checkDestination(metaData, address, remoteKey);
        }

        /// Creates a first request, which assigns no name id to its key.
        public TensorRequest(
                long stepId,
                int requestIndex,
                String key,
                @Nullable TensorMetaData metaData,
                long address,
                int remoteKey,
                boolean wantsChecksum) {
            this(stepId, requestIndex, NameId.NONE, key, metaData, address, remoteKey, wantsChecksum, false);
        }
    }

    /// Receiver to sender: a [TensorRequest] with the key, the metadata and the `wantsChecksum` of the last one that
    /// had this name id on this channel.
    ///
    /// @param nameId valid as a [NameId]
    /// @param address destination of the content; 0 without content
    /// @param remoteKey rkey of the memory at `address`; 0 without content
    record RepeatedRequest(long stepId, int requestIndex, int nameId, long address, int remoteKey)
            implements OfRequest {
        public RepeatedRequest {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkNameId(nameId);
        }
    }

    /// Sender to receiver: the tensor differs from the metadata that the request expected; this is its metadata. Unless
    /// the content is included, the sender keeps the tensor until the [TensorReRequest].
    ///
    /// @param checksum the [Checksum] of the content, if the request asked for it
    /// @param content `metaData.byteSize()` bytes, from the buffer's position to its limit, which complete the request;
    /// or null. The buffer must not be modified
    record MetaDataResponse(
            long stepId,
            int requestIndex,
            TensorMetaData metaData,
            OptionalLong checksum,
            @Nullable ByteBuffer content) implements OfRequest {
        public MetaDataResponse {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkChecksum(checksum);
            MessageRules.checkContent(metaData, content);
        }

        /// Creates a response without content.
        public MetaDataResponse(long stepId, int requestIndex, TensorMetaData metaData, OptionalLong checksum) {
            this(stepId, requestIndex, metaData, checksum, null);
        }

        @Override
        public boolean isAnswer() {
            return true;
        }
    }

    /// Sender to receiver: the content of a tensor that matches the request, sent instead of a write into the memory
    /// that the request named.
    ///
    /// @param content from the buffer's position to its limit; the buffer must not be modified
    record TensorContent(long stepId, int requestIndex, ByteBuffer content) implements OfRequest {
        public TensorContent {
            MessageRules.checkRequestIndex(requestIndex);
        }

        @Override
        public boolean isAnswer() {
            return true;
        }
    }

    /// Receiver to sender: names memory allocated for the tensor that the sender described, and requests its content.
    ///
    /// @param address destination of the content; 0 without content (`metaData.byteSize()` is 0), or if `inPieces`
    /// @param remoteKey rkey of the memory at `address`; 0 if that is 0
    /// @param inPieces whether memory is named piece by piece instead, each by a [TensorPiece]; only for a content of 1
    /// byte or more of a numeric type
    record TensorReRequest(
            long stepId, int requestIndex, TensorMetaData metaData, long address, int remoteKey, boolean inPieces)
            implements OfRequest {
        public TensorReRequest {
            MessageRules.checkRequestIndex(requestIndex);
            if (inPieces) {
                MessageRules.checkInPieces(metaData, address, remoteKey);
            } else {
                MessageRules.checkDestination(metaData, address, remoteKey);
            }
        }

        /// Creates a request for the content as a whole.
        public TensorReRequest(long stepId, int requestIndex, TensorMetaData metaData, long address, int remoteKey) {
            this(stepId, requestIndex, metaData, address, remoteKey, false);
        }
    }

    /// Receiver to sender, after a [TensorReRequest] in pieces: names memory for the next piece of the content, which
    /// begins where the previous piece ends.
    ///
    /// @param piece number of the piece, counted from 0 for each such request
    /// @param bytes size of the piece, 1 or more
    /// @param address destination of the piece
    /// @param remoteKey rkey of the memory at `address`, for the lane of this piece
    record TensorPiece(long stepId, int requestIndex, int piece, int bytes, long address, int remoteKey)
            implements OfRequest {
        public TensorPiece {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkPiece(piece, bytes, address, remoteKey);
        }
    }

    /// Ends a request without content: the sender failed it, or the receiver cancelled it.
    ///
    /// @param code not [StatusCode#OK]
    /// @param message human-readable text; truncated to the available room when encoded
    record ErrorStatus(long stepId, int requestIndex, Direction direction, StatusCode code, String message)
            implements OfRequest {
        public ErrorStatus {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkFailure(code);
        }

        @Override
        public int shortestSize() {
            return MessageLayout.HEADER_BYTES;
        }

        @Override
        public boolean isAnswer() {
            return direction == Direction.TO_RECEIVER;
        }
    }

    /// A message about one edge, between its receiver, which numbers it, and its sender.
    sealed interface OfEdge extends Message {
        /// The receiver's number of the edge, 0 to [Immediate#EDGES] - 1.
        int edge();
    }

    /// Receiver to sender, once on each channel: this end of an edge is open.
    sealed interface Opening extends OfEdge {
        /// The rendezvous key as text.
        String key();

        /// Whether this process of the sender was offered the edge on an earlier channel.
        boolean resumed();

        /// A random number drawn when the receiver opened this end; a different number denotes another edge with the
        /// same key.
        int opening();

        /// Tensors that have arrived so far, over all channels.
        long received();
    }

    /// Receiver to sender, once on each channel: offers the memory of a static edge.
    ///
    /// @param key the rendezvous key as text
    /// @param metaData metadata of each tensor
    /// @param places number of places in the memory, contiguous, each at the next multiple of 64 bytes; 1 or 2
    /// @param credit whether the sender waits for [EdgeCredit] before it writes a place again
    /// @param resumed whether this process of the sender was offered the edge on an earlier channel
    /// @param opening a random number that the receiver chose when it opened its end: identical in every offer of that
    /// end, and most likely different in the offers of the next end with this key
    /// @param received tensors that have arrived so far, over all channels
    /// @param unreleased number of the received tensors that the sender may not overwrite yet
    /// @param address address of the first place; 0 if a tensor has no bytes
    /// @param remoteKey rkey of the memory; 0 if a tensor has no bytes
    record EdgeOffer(
            int edge,
            String key,
            TensorMetaData metaData,
            int places,
            boolean credit,
            boolean resumed,
            int opening,
            long received,
            int unreleased,
            long address,
            int remoteKey)
            implements Opening {
        public EdgeOffer {
            MessageRules.checkEdge(edge);
            MessageRules.checkNumeric(metaData);
            MessageRules.checkOffered(key, metaData);
            MessageRules.checkPlaces(places, received, unreleased);
            MessageRules.checkDestination(metaData, address, remoteKey);
        }
    }

    /// Receiver to sender, once on each channel: offers to take tensors of any type and shape over a dynamic edge. The
    /// sender announces each by an [EdgeTensor]; the receiver reads it with RDMA READ and then sends an [EdgeCredit].
    ///
    /// @param key the rendezvous key as text
    /// @param slots tensors that may be announced and not released at a time, 1 to 65,535
    /// @param largestBytes largest size of a tensor in bytes
    /// @param resumed whether this process of the sender was offered the edge on an earlier channel
    /// @param opening as in an [EdgeOffer]
    /// @param received tensors that have arrived so far, over all channels
    record DynamicOffer(int edge, String key, int slots, long largestBytes, boolean resumed, int opening, long received)
            implements Opening {
        public DynamicOffer {
            MessageRules.checkEdge(edge);
            MessageRules.checkOffered(key, null);
            MessageRules.checkSlots(slots);
            MessageRules.checkCount("largestBytes", largestBytes);
            MessageRules.checkCount("received", received);
        }
    }

    /// Sender to receiver, on an edge offered by a [DynamicOffer]: announces the next tensor, which the sender keeps
    /// until its release.
    ///
    /// @param sequence number of the tensor, counted from 0 over all channels
    /// @param metaData metadata of the tensor: numeric, not dead
    /// @param address where the receiver may read the content; 0 without content (`metaData.byteSize()` is 0)
    /// @param remoteKey rkey of the memory at `address`; 0 without content
    record EdgeTensor(int edge, long sequence, TensorMetaData metaData, long address, int remoteKey) implements OfEdge {
        public EdgeTensor {
            MessageRules.checkEdge(edge);
            MessageRules.checkCount("sequence", sequence);
            MessageRules.checkNumeric(metaData);
            MessageRules.checkDestination(metaData, address, remoteKey);
        }
    }

    /// Accepts an edge, or ends it.
    ///
    /// @param count to the receiver: tensors that the sender has written or announced so far; with any code but OK, no
    /// more follow. To the sender: 0
    /// @param code to the receiver: [StatusCode#OK] to accept; otherwise the reason why the edge ends
    /// @param message human-readable text; truncated to the available room when encoded
    record EdgeStatus(int edge, long count, Direction direction, StatusCode code, String message) implements OfEdge {
        public EdgeStatus {
            MessageRules.checkEdge(edge);
            MessageRules.checkCount("count", count);
            if (direction == Direction.TO_SENDER && (code == StatusCode.OK || count != 0)) {
                throw new IllegalArgumentException(
                        "a receiver's status of edge " + edge + " must be a failure with the count 0");
            }
        }

        @Override
        public int shortestSize() {
            return MessageLayout.HEADER_BYTES;
        }

        @Override
        public boolean isAnswer() {
            return direction == Direction.TO_RECEIVER;
        }
    }

    /// Receiver to sender: the number of tensors of the edge released so far, over all channels. The sender may
    /// overwrite their places, or reuse the memory that they were read from.
    record EdgeCredit(int edge, long released) implements OfEdge {
        public EdgeCredit {
            MessageRules.checkEdge(edge);
            MessageRules.checkCount("released", released);
        }
    }

    /// A message about one part of a tensor whose rows are partitioned among workers. The receiver is the reader of the
    /// part, which numbers it; the sender is its owner.
    sealed interface OfPart extends Message {
        /// Number of parts of one owner that can be numbered for one reader.
        int COUNT = 1 << 16;

        /// The reader's number of the part, 0 to [#COUNT] - 1.
        int part();
    }

    /// Reader to owner, once on each channel: requests access to the owner's rows of a tensor by RDMA READ.
    ///
    /// @param name name of the tensor; not empty, well-formed Unicode
    /// @param metaData metadata of the whole tensor: numeric, not dead, of rank 2
    record PartOpen(int part, String name, TensorMetaData metaData) implements OfPart {
        public PartOpen {
            MessageRules.checkPart(part);
            MessageRules.checkOpened(name, metaData);
        }
    }

    /// Owner to reader: grants RDMA READ access to the rows, until this channel is lost or the reader reports that it
    /// is done.
    ///
    /// @param firstRow first row of the part in the tensor
    /// @param bytes size of the part, all its rows
    /// @param address address of the first row; 0 if the part is empty
    /// @param remoteKey rkey of the memory at `address`; 0 if the part is empty
    record PartGrant(int part, long firstRow, long bytes, long address, int remoteKey) implements OfPart {
        public PartGrant {
            MessageRules.checkPart(part);
            MessageRules.checkCount("firstRow", firstRow);
            MessageRules.checkCount("bytes", bytes);
            MessageRules.checkMemory(bytes, address, remoteKey);
        }

        @Override
        public boolean isAnswer() {
            return true;
        }
    }

    /// To the reader: the part is refused, or ends, and the reader must issue no further RDMA READ. To the owner: no
    /// RDMA READ of the part is in progress, and none will follow.
    ///
    /// @param code not [StatusCode#OK]
    /// @param message human-readable text; truncated to the available room when encoded
    record PartStatus(int part, Direction direction, StatusCode code, String message) implements OfPart {
        public PartStatus {
            MessageRules.checkPart(part);
            MessageRules.checkFailure(code);
        }

        @Override
        public int shortestSize() {
            return MessageLayout.HEADER_BYTES;
        }

        @Override
        public boolean isAnswer() {
            return direction == Direction.TO_RECEIVER;
        }
    }

    /// The recipient of an [ErrorStatus], an [EdgeStatus] or a [PartStatus].
    enum Direction {
        /// The status comes from the sender, which cannot serve the request and writes nothing more for it.
        TO_RECEIVER,
        /// The status comes from the receiver, which gave the request up; the sender must drop it.
        TO_SENDER
    }
}
