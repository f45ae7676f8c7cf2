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

/// The transfers between this worker and one peer: the requests of this worker and the responses to the peer's. Both
/// outlive a channel, as long as the peer is the same process.
///
/// After a channel was lost the receiver of each transfer knows what arrived: it asks again for the rest, with the
/// indexes that it used before, and then says that this was all ([io.tensorferry.verbs.wire.Message.Resumed]).
///
/// Owner: the loop; any thread may add to [#requests()] and count.
final class PeerTransfers {
    private final RequestTable<TensorRequest> requests = new RequestTable<>();
    // By request index.
    private final LongTable<TensorResponse> responses = new LongTable<>();
    private final AtomicLong orders = new AtomicLong();
    // How requests of the peer ended that took a tensor, where the peer may not have heard of it: what it is told
    // if it asks again.
    private final Endings<RdmaChannel> endings = new Endings<>();
    // Why the tensors that were taken for requests of earlier channels are gone, if they are.
    private @Nullable TransportException dropped;
    private final ChannelSource channels;
    private final MetaDataCache metaDataCache;
    private final @Nullable FallbackReceives fallback;
    private @Nullable RdmaChannel channel;
    // The channel that the names were given on; a new one begins with none.
    private @Nullable RdmaChannel namingChannel;
    private OutgoingNames outgoingNames = new OutgoingNames();
    private IncomingNames incomingNames = new IncomingNames();
    private boolean resumed;
    // Whether what went over the channel has ended or was suspended, because the channel is lost.
    private boolean ended = true;
    // Requests that come again over the fallback and wait for that.
    private final List<Runnable> claims = new ArrayList<>();
    private long losses;
    private @Nullable RdmaChannel heardOn;

    /// @param channels where requests wait for a channel to the peer
    /// @param metaDataCache of the worker
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

    /// Channels that were lost so far on which the peer had said something: one that was set up in vain leaves nothing
    /// that it had not found.
    long losses() {
        return losses;
    }

    RequestTable<TensorRequest> requests() {
        return requests;
    }

    /// The numbers that stand for keys in the requests of this worker over `open`.
    OutgoingNames outgoingNames(RdmaChannel open) {
        beginNames(open);
        return outgoingNames;
    }

    /// The same in the requests of the peer.
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

    /// Greater than all numbers that it gave before. Any thread.
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

    /// A request has failed at this end, after it has taken a tensor.
    ///
    /// @param over the channel that it came on
    void rememberFailure(int requestIndex, RdmaChannel over, TransportException cause) {
        endings.remember(requestIndex, over, cause);
    }

    int responseCount() {
        return responses.size();
    }

    /// The peer may ask again on `opened`, if it is the process that asked before.
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

    /// The peer has said something.
    void onHeard(RdmaChannel over) {
        heardOn = over;
    }

    /// Whether `requestIndex`, which was asked on an earlier channel, may be asked again as if it were new.
    ///
    /// @return why not, or null
    /// @throws ProtocolViolationException if it is not the time to ask again
    @Nullable
    TransportException refusalOfReplay(int requestIndex) {
        if (resumed) {
            throw new ProtocolViolationException("a request comes again after the end of all that were to come again");
        }
        TransportException cause = endings.remove(requestIndex);
        return cause != null ? cause : dropped;
    }

    /// Runs `claim` when the channel on which a request was sent has ended at this end, too, so that what is left of
    /// the
    /// request is known. Where the peer is the first to have lost the channel, it ends here for that.
    ///
    /// @param incarnation the life of the peer that asks
    void afterLoss(SentRequest sent, long incarnation, Runnable claim) {
        RdmaChannel last = channel;
        if (last != null
                && last.isOpen()
                && last.peerIncarnation() == incarnation
                && last.description().connectionId() == sent.connectionId()) {
            last.onPeerLostIt();
        }
        if (last != null && !last.isOpen() && !ended) {
            claims.add(claim);
        } else {
            claim.run();
        }
    }

    /// What is left of a request of the peer that comes again over the fallback, [#afterLoss].
    ///
    /// @param incarnation the life of the peer that asks
    /// @return the response that has a tensor, or null if the request is to be taken as a new one
    /// @throws TransportException if it cannot go on
    @Nullable
    TensorResponse claim(SentRequest sent, long incarnation) {
        RdmaChannel last = channel;
        if (last == null || last.peerIncarnation() != incarnation) {
            // Its channel was never open at this end.
            return null;
        }
        if (last.isOpen() && resumed) {
            throw new TransportException(
                    StatusCode.ABORTED, "the peer has said on a later channel that it asks for nothing again");
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

    /// The peer has asked for everything again that it still wants of earlier channels. What is kept of this one stays:
    /// where the channel is lost by now, it is asked for again over the next.
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

    /// Ends what a lost channel has left: no tensor is kept for a peer that does not come back.
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

    /// Leaves all memory that `stuck` may use to its device.
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

    /// Ends or suspends everything that went over `lost`.
    ///
    /// @return whether tensors are kept for the peer to ask again
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
        Tell.each("take up a request again", waiting, Runnable::run);
        return kept;
    }
}
