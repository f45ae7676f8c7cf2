package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.lane.MemoryGrant;
import io.tensorferry.verbs.channel.lane.MemoryNaming;
import io.tensorferry.verbs.channel.lane.NamedMemory;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.NameId;
import io.tensorferry.verbs.wire.OutgoingMessage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// What a request says to the peer, and over which channel: it asks, asks again with memory, gives up. When it does so
/// [TensorRequest] knows.
///
/// A part of the request, and no object beside it: the ring takes the request as its first message, for which nothing
/// is made on the loop.
///
/// Owner: the loop.
abstract sealed class RequestMessages implements OutgoingMessage, MemoryNaming permits TensorRequest {
    final TransferContext context;
    final PeerTransfers transfers;
    final RemoteReceive receive;

    private @Nullable RdmaChannel channel;
    // What the first message says that is in the ring or waits for it.
    private @Nullable TensorMetaData askedMetaData;
    private boolean askedAgain;
    private long askedAddress;
    private int askedKey;

    RequestMessages(TransferContext context, PeerTransfers transfers, RemoteReceive receive) {
        this.context = context;
        this.transfers = transfers;
        this.receive = receive;
    }

    /// The number of the request, which every message says.
    abstract int index();

    final RendezvousKey key() {
        return receive.key();
    }

    /// Where the messages go from now on; null: nowhere, they are dropped.
    final void speakOver(@Nullable RdmaChannel opened) {
        channel = opened;
    }

    final @Nullable RdmaChannel channel() {
        return channel;
    }

    /// What the first message is to say.
    ///
    /// @param expected the metadata that there is memory for, or null
    /// @param replay whether the request was sent on a channel that is gone
    /// @param destination that memory
    final void prepare(@Nullable TensorMetaData expected, boolean replay, @Nullable Destination destination) {
        askedMetaData = expected;
        askedAgain = replay;
        askedAddress = destination == null ? 0 : destination.address();
        askedKey = 0;
    }

    /// Whether the first message goes through the ring as it is prepared; only a long key can prevent that.
    ///
    /// @throws IllegalArgumentException if the key is too long for any message
    final boolean fits(RdmaChannel open) {
        return isKnown() || open.fits(fullMessage(NameId.NONE));
    }

    /// Sends the first message as it is prepared.
    ///
    /// @param destination the memory that it names, or null
    /// @return the peer's right to write there
    /// @throws IllegalArgumentException if the key is too long for any message
    final MemoryGrant ask(RdmaChannel open, @Nullable Destination destination) {
        NamedMemory named = destination == null ? null : destination.named();
        if (named != null) {
            return open.send(named, index(), this);
        }
        open.send(this);
        return MemoryGrant.LASTING;
    }

    /// The request, whose key to the memory is known from now on.
    @Override
    public final OutgoingMessage message(int remoteKey) {
        askedKey = remoteKey;
        return this;
    }

    /// Whether the peer knows by a number what this asks for.
    private boolean isKnown() {
        return nameId() != NameId.NONE;
    }

    private int nameId() {
        // A replay says what it is for: the peer compares.
        RdmaChannel open = channel;
        return askedAgain || open == null
                ? NameId.NONE
                : transfers.outgoingNames(open).find(key(), askedMetaData);
    }

    @Override
    public final int encodedSize() {
        return isKnown()
                ? MessageCodec.REPEATED_REQUEST_BYTES
                : fullMessage(NameId.NONE).encodedSize();
    }

    @Override
    public final int encode(MemorySegment target, long offset, int room) {
        int known = nameId();
        if (known != NameId.NONE) {
            return MessageCodec.encodeRepeatedRequest(
                    target, offset, receive.stepId(), index(), known, askedAddress, askedKey);
        }
        RdmaChannel open = channel;
        int given = open != null && MessageCodec.mayName(key().toString(), askedMetaData)
                ? transfers.outgoingNames(open).define(key(), askedMetaData)
                : NameId.NONE;
        return fullMessage(given).encode(target, offset, room);
    }

    private Message.TensorRequest fullMessage(int nameId) {
        return new Message.TensorRequest(
                receive.stepId(),
                index(),
                nameId,
                key().toString(),
                askedMetaData,
                askedAddress,
                askedKey,
                context.options().dataValidation(),
                askedAgain);
    }

    /// Asks for a tensor whose metadata the peer has told.
    ///
    /// @return the peer's right to write into `destination`
    final MemoryGrant askAgain(TensorMetaData metaData, Destination destination) {
        NamedMemory named = destination.named();
        if (named == null) {
            send(reRequest(metaData, destination, 0));
            return MemoryGrant.LASTING;
        }
        RdmaChannel open = channel;
        return open == null
                ? MemoryGrant.LASTING
                : open.send(named, index(), new MemoryNaming() {
                    @Override
                    public OutgoingMessage message(int remoteKey) {
                        return reRequest(metaData, destination, remoteKey);
                    }

                    @Override
                    public void onRefused(TransportException cause) {
                        RequestMessages.this.onRefused(cause);
                    }
                });
    }

    /// Asks for a tensor whose metadata the peer has told, to come in pieces.
    final void askInPieces(TensorMetaData metaData) {
        send(new Message.TensorReRequest(receive.stepId(), index(), metaData, 0, 0, true));
    }

    private Message.TensorReRequest reRequest(TensorMetaData metaData, Destination destination, int remoteKey) {
        return new Message.TensorReRequest(receive.stepId(), index(), metaData, destination.address(), remoteKey);
    }

    /// Tells the peer that nobody waits for the tensor any longer.
    final void sayGivenUp() {
        send(new Message.ErrorStatus(
                receive.stepId(),
                index(),
                Message.Direction.TO_SENDER,
                StatusCode.CANCELLED,
                "the receiver gave the request up"));
    }

    private void send(Message message) {
        if (channel != null) {
            channel.send(message);
        }
    }
}
