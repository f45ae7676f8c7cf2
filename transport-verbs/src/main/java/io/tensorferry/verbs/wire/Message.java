package io.tensorferry.verbs.wire;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// A control message from one end of a channel to the other. Immutable.
///
/// A message that exists obeys the protocol: the constructors throw [IllegalArgumentException] for what may not be
/// sent.
public sealed interface Message extends OutgoingMessage {
    @Override
    default int encodedSize() {
        return MessageEncoder.encodedSize(this);
    }

    @Override
    default int encode(MemorySegment target, long offset, int room) {
        return MessageEncoder.encode(this, target.asSlice(offset, room));
    }

    /// A message about one request, between the receiver of the tensor, who owns the request, and its sender.
    sealed interface OfRequest extends Message {
        /// The step of the request.
        long stepId();

        /// The receiver's [RequestIndex] of the request.
        int requestIndex();
    }

    /// Says nothing but that the process at this end goes on.
    record Heartbeat() implements Message {}

    /// Receiver to sender, once on each channel: all requests of earlier channels that have not ended have been asked
    /// again. What the sender keeps for others has arrived or is not wanted.
    record Resumed() implements Message {}

    /// Receiver to sender: asks for the tensor of a key, and tells where to write it if its metadata is as the
    /// receiver believes.
    ///
    /// @param nameId the [NameId] that stands from now on for this key, this metadata and `wantsChecksum`, or
    ///     [NameId#NONE]; then the message is short, [MessageCodec#mayName]
    /// @param key the rendezvous key as it is printed; not empty, well-formed Unicode
    /// @param metaData what the receiver has allocated for, or null where it knows nothing yet; then `address` and
    ///     `remoteKey` are 0
    /// @param address where the content goes; 0 where there is none (`metaData.byteSize()` is 0)
    /// @param remoteKey the key of the memory at `address`; 0 where there is no content
    /// @param wantsChecksum whether the receiver validates data, so that it needs a [MetaDataResponse] with a
    ///     checksum
    /// @param replay whether the same request, with the same index, was sent on an earlier channel that is gone
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

        /// Asked for the first time; gives its key no number.
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

    /// Receiver to sender: a [TensorRequest] once more, with the key, the metadata and `wantsChecksum` of the last one
    /// that had this name id on this channel.
    ///
    /// @param nameId valid as a [NameId]
    /// @param address where the content goes; 0 where there is none
    /// @param remoteKey the key of the memory at `address`; 0 where there is no content
    record RepeatedRequest(long stepId, int requestIndex, int nameId, long address, int remoteKey)
            implements OfRequest {
        public RepeatedRequest {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkNameId(nameId);
        }
    }

    /// Sender to receiver: the tensor is not what the request expected; this is what it is. Unless its content comes
    /// with it, the sender keeps the tensor until the [TensorReRequest].
    ///
    /// @param checksum the [Checksum] of the content, where the request asked for it
    /// @param content `metaData.byteSize()` bytes, from the buffer's position to its limit, which end the request; or
    ///     null. Nobody changes the buffer
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

        /// Without the content.
        public MetaDataResponse(long stepId, int requestIndex, TensorMetaData metaData, OptionalLong checksum) {
            this(stepId, requestIndex, metaData, checksum, null);
        }

        @Override
        public boolean isAnswer() {
            return true;
        }
    }

    /// Sender to receiver: the content of a tensor that is as the request expected, instead of a write into the memory
    /// that the request named.
    ///
    /// @param content from the buffer's position to its limit; nobody changes the buffer
    record TensorContent(long stepId, int requestIndex, ByteBuffer content) implements OfRequest {
        public TensorContent {
            MessageRules.checkRequestIndex(requestIndex);
        }

        @Override
        public boolean isAnswer() {
            return true;
        }
    }

    /// Receiver to sender: memory for the tensor that the sender described is allocated here; write it.
    ///
    /// @param address where the content goes; 0 where there is none (`metaData.byteSize()` is 0), or `inPieces`
    /// @param remoteKey the key of the memory at `address`; 0 where that is 0
    /// @param inPieces whether memory is named piece by piece instead, each by a [TensorPiece]; only for a content of
    ///     1 byte or more that is carried as it is
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

        /// For the content as a whole.
        public TensorReRequest(long stepId, int requestIndex, TensorMetaData metaData, long address, int remoteKey) {
            this(stepId, requestIndex, metaData, address, remoteKey, false);
        }
    }

    /// Receiver to sender, behind a [TensorReRequest] in pieces: memory for the next piece of the content, which begins
    /// where the one before it ends.
    ///
    /// @param piece its number, counted from 0 for each such request
    /// @param bytes of the piece, 1 or more
    /// @param address where it goes
    /// @param remoteKey the key of the memory at `address`, over the lane of this piece
    record TensorPiece(long stepId, int requestIndex, int piece, int bytes, long address, int remoteKey)
            implements OfRequest {
        public TensorPiece {
            MessageRules.checkRequestIndex(requestIndex);
            MessageRules.checkPiece(piece, bytes, address, remoteKey);
        }
    }

    /// The request ends without content: the sender failed it, or the receiver gave it up.
    ///
    /// @param code not [StatusCode#OK]
    /// @param message for a person to read; cut to what fits when it is encoded
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

    /// A message about one edge, between its receiver, who gives it a number, and its sender.
    sealed interface OfEdge extends Message {
        /// The receiver's number of the edge, 0 to [Immediate#EDGES] - 1.
        int edge();
    }

    /// Receiver to sender, once on each channel: this end of an edge is open.
    sealed interface Opening extends OfEdge {
        /// The rendezvous key as it is printed.
        String key();

        /// Whether this process of the sender was offered it on an earlier channel.
        boolean resumed();

        /// A number that the receiver drew when it opened this end: another one is another edge of the same key.
        int opening();

        /// Tensors that have arrived so far, over all channels.
        long received();
    }

    /// Receiver to sender, once on each channel: here is the memory of an edge.
    ///
    /// @param key the rendezvous key as it is printed
    /// @param metaData what each tensor is
    /// @param places how many the memory holds, one behind the other, each at the next multiple of 64 bytes; 1 or 2
    /// @param credit whether the sender waits for [EdgeCredit] before it writes a place again
    /// @param resumed whether this process of the sender was offered it on an earlier channel
    /// @param opening a random number that the receiver chose when it opened its end: the same in every offer of that
    ///     end, and most likely another in those of the next one with this key
    /// @param received tensors that have arrived so far, over all channels
    /// @param unreleased of these, those that the sender may not write over yet
    /// @param address of the first place; 0 where a tensor has no bytes
    /// @param remoteKey the key of the memory; 0 where there is none
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

    /// Receiver to sender, once on each channel: takes tensors of any type and shape over an edge. The sender
    /// announces each by an [EdgeTensor]; the receiver READs it and then says so by an [EdgeCredit].
    ///
    /// @param key the rendezvous key as it is printed
    /// @param slots tensors that may be announced and not released at a time, 1 to 65,535
    /// @param largestBytes of a tensor
    /// @param resumed whether this process of the sender was offered it on an earlier channel
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

    /// Sender to receiver, of an edge that was offered by a [DynamicOffer]: here is the next tensor. The sender keeps
    /// it until it is released.
    ///
    /// @param sequence which tensor, counted from 0 over all channels
    /// @param metaData what it is: numeric, not dead
    /// @param address where the receiver may READ the content; 0 where there is none (`metaData.byteSize()` is 0)
    /// @param remoteKey the key of the memory at `address`; 0 where there is no content
    record EdgeTensor(int edge, long sequence, TensorMetaData metaData, long address, int remoteKey) implements OfEdge {
        public EdgeTensor {
            MessageRules.checkEdge(edge);
            MessageRules.checkCount("sequence", sequence);
            MessageRules.checkNumeric(metaData);
            MessageRules.checkDestination(metaData, address, remoteKey);
        }
    }

    /// The edge is accepted, or ends.
    ///
    /// @param count to the receiver: tensors that the sender has written or announced so far; with any code but OK
    ///     these are all that come. 0 to the sender
    /// @param code to the receiver [StatusCode#OK] to accept; otherwise why the edge ends
    /// @param message for a person to read; cut to what fits when it is encoded
    record EdgeStatus(int edge, long count, Direction direction, StatusCode code, String message) implements OfEdge {
        public EdgeStatus {
            MessageRules.checkEdge(edge);
            MessageRules.checkCount("count", count);
            if (direction == Direction.TO_SENDER && (code == StatusCode.OK || count != 0)) {
                throw new IllegalArgumentException(
                        "a receiver says of edge " + edge + " why it ends, and counts nothing");
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

    /// Receiver to sender: so many tensors of the edge are released, over all channels. The sender may write their
    /// places again, or have the memory back that they were READ from.
    record EdgeCredit(int edge, long released) implements OfEdge {
        public EdgeCredit {
            MessageRules.checkEdge(edge);
            MessageRules.checkCount("released", released);
        }
    }

    /// A message about one part of a tensor whose rows are shared out among workers, between the worker that reads the
    /// part, the receiver, who gives it a number, and the worker that owns it, the sender.
    sealed interface OfPart extends Message {
        /// How many parts of one owner have numbers for one reader.
        int COUNT = 1 << 16;

        /// The reader's number of the part, 0 to [#COUNT] - 1.
        int part();
    }

    /// Reader to owner, once on each channel: wants to READ the owner's rows of a tensor.
    ///
    /// @param name of the tensor; not empty, well-formed Unicode
    /// @param metaData of the whole tensor: numeric, not dead, of rows and columns
    record PartOpen(int part, String name, TensorMetaData metaData) implements OfPart {
        public PartOpen {
            MessageRules.checkPart(part);
            MessageRules.checkOpened(name, metaData);
        }
    }

    /// Owner to reader: the rows are there, and may be READ until this channel is gone or the reader has said that it
    /// is done.
    ///
    /// @param firstRow of the part in the tensor
    /// @param bytes of the part, all its rows
    /// @param address of the first row; 0 where the part is empty
    /// @param remoteKey the key of the memory at `address`; 0 where the part is empty
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

    /// To the reader: the part is refused, or ends, and no READ of it is to begin. To the owner: no READ of it is
    /// under way, and none will be.
    ///
    /// @param code not [StatusCode#OK]
    /// @param message for a person to read; cut to what fits when it is encoded
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

    /// Who is told by an [ErrorStatus], an [EdgeStatus] or a [PartStatus].
    enum Direction {
        /// The sender cannot serve the request: it writes nothing for it, and will write nothing any more.
        TO_RECEIVER,
        /// The receiver gave the request up; the sender is to drop it.
        TO_SENDER
    }
}
