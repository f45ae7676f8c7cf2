package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.link.ChannelSource;
import io.tensorferry.verbs.loop.Tell;
import io.tensorferry.verbs.rendezvous.fallback.FallbackReceives;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import io.tensorferry.verbs.rendezvous.table.LongTable;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// The transfers between this worker and one peer: the requests of this worker and the responses to the peer's
/// requests. Both outlive a channel as long as the peer is the same process.
///
/// After the loss of a channel the receiver of each transfer knows what arrived. It repeats the requests for the rest
/// with their old indexes, and then sends [io.tensorferry.verbs.wire.Message.Resumed].
///
/// Owner: the loop; any thread may add to [#requests()] and count.
final class PeerTransfers {
    private final RequestTable<TensorRequest> requests = new RequestTable<>();
    // By request index.
    private final LongTable<TensorResponse> responses = new LongTable<>();
    private final AtomicLong orders = new AtomicLong();
    // The endings of the peer's requests that had taken a tensor, in case the peer missed them and repeats the request.
    private final Endings<RdmaChannel> endings = new Endings<>();
    // The cause for which tensors kept for requests of earlier channels were dropped, if they were.
    private @Nullable TransportException dropped;
    private final ChannelSource channels;
    private final MetaDataCache metaDataCache;
    private final @Nullable FallbackReceives fallback;
    private @Nullable RdmaChannel channel;
    // The channel that the names belong to; a new channel starts without names.
    private @Nullable RdmaChannel namingChannel;
    private OutgoingNames outgoingNames = new OutgoingNames();
    private IncomingNames incomingNames = new IncomingNames();
    private boolean resumed;
    // Whether all transfers over the lost channel have ended or were suspended.
    private boolean ended = true;
    // Actions for requests repeated over the fallback, which wait for the end of the channel.
    private final List<Runnable> claims = new ArrayList<>();
    private long losses;
    private @Nullable RdmaChannel heardOn;

    /// @param channels the queue in which requests wait for a channel to the peer
    /// @param metaDataCache the cache of the worker
    /// @param fallback null if there is none
    PeerTransfers(ChannelSource channels, MetaDataCache metaDataCache, @Nullable FallbackReceives fallback) {
        this.channels = channels;
        this.metaDataCache = metaDataCache;
        this.fallback = fallback;
    }

    ChannelSource channels() {
        return channels;
    }

    MetaDataCache metaDataCache() {
        return metaDataCache;
    }

    @Nullable
    FallbackReceives fallback() {
        return fallback;
    }

    /// Returns the number of lost channels on which the peer had sent a message. A channel that failed before its first
    /// message adds nothing to keep.
    long losses() {
        return losses;
    }

    RequestTable<TensorRequest> requests() {
        return requests;
    }

    /// The name ids in the requests of this worker over `open`.
    OutgoingNames outgoingNames(RdmaChannel open) {
        beginNames(open);
        return outgoingNames;
    }

    /// The name ids in the requests of the peer over `open`.
    IncomingNames incomingNames(RdmaChannel open) {
        beginNames(open);
        return incomingNames;
    }

    @SuppressWarnings("ReferenceEquality")
    private void beginNames(RdmaChannel open) {
        if (namingChannel != open) {
            namingChannel = open;
            outgoingNames = new OutgoingNames();
            incomingNames = new IncomingNames();
        }
    }

    /// Returns the next order number; numbers grow strictly. Any thread.
    long nextOrder() {
        return orders.incrementAndGet();
    }

    /// Adds a response under an index that has none.
    void add(TensorResponse response) {
        responses.add(response);
    }

    @Nullable
    TensorResponse response(int requestIndex) {
        return responses.get(requestIndex);
    }

    void forget(TensorResponse response) {
        if (response.equals(responses.get(response.requestIndex()))) {
            responses.remove(response.requestIndex());
        }
    }

    /// Records a request that failed at this end after it had taken a tensor.
    ///
    /// @param over the channel that it came on
    void rememberFailure(int requestIndex, RdmaChannel over, TransportException cause) {
        endings.remember(requestIndex, over, cause);
    }

    int responseCount() {
        return responses.size();
    }

    /// The peer may repeat its requests on `opened` if it is the same process as before.
    void onChannelOpen(RdmaChannel opened) {
        RdmaChannel previous = channel;
        if (previous != null && previous.peerIncarnation() != opened.peerIncarnation()) {
            endDetached(null);
            forgetEndings(null);
        }
        channel = opened;
        ended = false;
        resumed = false;
    }

    /// The peer has sent a message over this channel.
    void onHeard(RdmaChannel over) {
        heardOn = over;
    }

    /// Checks whether `requestIndex`, a request of an earlier channel, may be repeated as a new request. A refusal is
    /// remembered: the peer repeats the request again if `over` is lost before the refusal arrives.
    ///
    /// @param over the channel that it is repeated on
    /// @return the cause of a refusal, or null
    /// @throws ProtocolViolationException if requests may not be repeated now
    @Nullable
    TransportException refusalOfReplay(int requestIndex, RdmaChannel over) {
        if (resumed) {
            throw new ProtocolViolationException("it repeated a request after it had ended the repeated requests");
        }
        TransportException ending = endings.remove(requestIndex);
        TransportException refusal = ending == null && responses.get(requestIndex) == null ? dropped : ending;
        if (refusal != null) {
            endings.remember(requestIndex, over, refusal);
        }
        return refusal;
    }

    /// Runs `claim` once the channel of a request has ended at this end too, so that the state of the request is final.
    /// If only the peer has noticed the loss of the channel, this end closes it now.
    ///
    /// @param incarnation the incarnation of the requesting process
    void afterLoss(SentRequest sent, long incarnation, Runnable claim) {
        RdmaChannel last = channel;
        if (last != null
                && last.isOpen()
                && last.peerIncarnation() == incarnation
                && last.connectionId() == sent.connectionId()) {
            last.onPeerLostIt();
        }
        if (last != null && !last.isOpen() && !ended) {
            claims.add(claim);
        } else {
            claim.run();
        }
    }

    /// Returns the remaining response to a request that the peer repeats over the fallback, after [#afterLoss].
    ///
    /// @param incarnation the incarnation of the requesting process
    /// @return the response that has a tensor, or null if the request is a new one
    /// @throws TransportException if the request cannot continue
    @Nullable
    TensorResponse claim(SentRequest sent, long incarnation) {
        RdmaChannel last = channel;
        if (last == null || last.peerIncarnation() != incarnation) {
            // Its channel was never open at this end.
            return null;
        }
        if (last.isOpen() && resumed) {
            throw new TransportException(
                    StatusCode.ABORTED, "the peer has ended its repeated requests on a later channel");
        }
        TransportException ending = endings.remove(sent.requestIndex());
        TensorResponse kept = responses.get(sent.requestIndex());
        if (kept != null) {
            return kept;
        }
        TransportException refusal = ending != null ? ending : dropped;
        if (refusal != null) {
            throw refusal;
        }
        return null;
    }

    /// The peer has repeated every request of earlier channels that it still wants; the rest ends. Requests of the
    /// current channel are kept: if that channel is lost by now, they are repeated over the next channel.
    void onResumed() {
        if (resumed) {
            throw new ProtocolViolationException("it resumed twice");
        }
        resumed = true;
        endDetached(channel);
        forgetEndings(channel);
    }

    /// @param but the channel whose endings are remembered; null for none
    private void forgetEndings(@Nullable RdmaChannel but) {
        endings.forgetAllBut(but);
        dropped = null;
    }

    /// Drops the tensors that a lost channel has left, because the peer does not come back.
    void giveUp(TransportException cause) {
        if (endDetached(null)) {
            dropped = cause;
        }
    }

    /// @param but the channel whose requests are kept; null for none
    private boolean endDetached(@Nullable RdmaChannel but) {
        boolean any = false;
        for (TensorResponse response : responsesByIndex()) {
            if (response.isDetached() && !response.cameOn(but)) {
                response.onNotReplayed();
                any = true;
            }
        }
        return any;
    }

    /// Abandons all memory that the device may still access for `stuck`.
    void strandMemory(RdmaChannel stuck) {
        Tell.each("strand the memory of a response", responsesByIndex(), TensorResponse::strandMemory);
        Tell.each("strand the memory of a request", requestsOver(stuck), TensorRequest::strandMemory);
    }

    private List<TensorResponse> responsesByIndex() {
        List<TensorResponse> all = responses.all();
        all.sort(Comparator.comparingInt(TensorResponse::requestIndex));
        return all;
    }

    /// Oldest first.
    private List<TensorRequest> requestsOver(RdmaChannel one) {
        return requests.all().stream()
                .filter(request -> request.usesChannel(one))
                .sorted(Comparator.comparingLong(TensorRequest::order))
                .toList();
    }

    /// Ends or suspends all transfers over `lost`.
    ///
    /// @return whether tensors are kept for repeated requests of the peer
    @SuppressWarnings("ReferenceEquality")
    boolean onChannelLost(RdmaChannel lost, ChannelLoss loss) {
        if (heardOn == lost) {
            losses++;
        }
        Tell.each("end a response", responsesByIndex(), response -> response.onChannelLost(loss.resumable()));
        if (loss.resumable()) {
            var written =
                    new TransportException(StatusCode.UNAVAILABLE, "the content was written and lost with its channel");
            for (int index : loss.unconfirmed()) {
                endings.rememberUnlessKnown(index, lost, written);
            }
        } else {
            dropped = loss.cause();
        }
        Tell.each("end a request", requestsOver(lost), request -> {
            if (loss.resumable()) {
                request.onSuspended();
            } else {
                request.onChannelLost(loss.cause());
            }
        });
        boolean kept = loss.resumable() && responses.size() > 0;
        ended = true;
        List<Runnable> waiting = List.copyOf(claims);
        claims.clear();
        Tell.each("resume a request", waiting, Runnable::run);
        return kept;
    }
}
