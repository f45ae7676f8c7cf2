package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.channel.lane.ContentWrite;
import io.tensorferry.verbs.channel.lane.Lane;
import io.tensorferry.verbs.channel.lane.OutgoingRing;
import io.tensorferry.verbs.channel.lane.PostedWork;
import io.tensorferry.verbs.channel.lane.ReadBatch;
import io.tensorferry.verbs.channel.lane.RemoteKeys;
import io.tensorferry.verbs.channel.lane.WindowGrant;
import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.loop.Tell;
import io.tensorferry.verbs.loop.TurnBudget;
import io.tensorferry.verbs.wire.Message;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Posts a channel's outgoing work: acknowledgements, messages, contents, and binds and invalidations of memory
/// windows. Handles its completions.
///
/// Owner: the loop.
public final class Departures {
    private static final Message HEARTBEAT = new Message.Heartbeat();

    private final List<Lane> lanes;
    private final Lane control;
    private final OutgoingRing outgoing;
    private final RemoteKeys keys;
    private final ChannelCounters counters;
    private final TurnBudget work;
    private boolean probing;
    private boolean cutShort;

    /// @param lanes the control queue pair, then the data lanes
    public Departures(
            List<Lane> lanes, OutgoingRing outgoing, RemoteKeys keys, ChannelCounters counters, TurnBudget work) {
        this.lanes = lanes;
        this.control = lanes.getFirst();
        this.outgoing = outgoing;
        this.keys = keys;
        this.counters = counters;
        this.work = work;
    }

    /// Posts what may be posted now, as far as the budget allows, and submits it to the device with one call for each
    /// lane. Returns whether the peer's process will notice any of it.
    ///
    /// @param mayWrite whether the peer is ready to receive
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses
    public boolean pump(boolean mayWrite) {
        // None of this reaches the peer.
        keys.pump();
        int immediates = 0;
        cutShort = false;
        for (int i = 0; i < lanes.size(); i++) {
            Lane lane = lanes.get(i);
            if (mayWrite) {
                immediates += acknowledge(lane) + (i == 0 ? pumpMessages() : lane.pump());
            }
            lane.submit();
        }
        return immediates > 0;
    }

    /// Whether the last [#pump] left messages for another turn.
    boolean hasMore() {
        return cutShort;
    }

    private int acknowledge(Lane lane) {
        int acknowledgements = lane.acknowledge();
        if (acknowledgements > 0) {
            counters.acknowledgementsSent.add(acknowledgements);
        }
        return acknowledgements;
    }

    private int pumpMessages() {
        int messages = outgoing.pump(control, work.messagesLeft());
        work.encoded(messages);
        cutShort = work.messagesLeft() == 0 && !outgoing.isIdle();
        if (messages > 0) {
            counters.messagesSent.add(messages);
        }
        return messages;
    }

    /// Makes the next [#pump] send a heartbeat. If the peer has no receive for it, posts a probe that at least checks
    /// whether the peer's queue pair exists, because everything posted may have completed before the peer destroyed it.
    ///
    /// @throws io.tensorferry.verbs.device.VerbsException if the device refuses
    void showLife() {
        if (outgoing.isIdle() && control.credits().maySend()) {
            // A heartbeat needs no order among the other messages, which may wait long for a window.
            outgoing.enqueueFirst(HEARTBEAT);
        } else if (!probing && control.hasFreeSendSlot()) {
            probing = true;
            control.postProbe();
        }
    }

    /// Handles the success of a request, which implies the success of all earlier requests on its queue pair.
    public void onCompletion(Lane lane, long workId) {
        PostedWork posted = lane.posted();
        while (posted.contains(workId)) {
            switch (posted.oldestKind()) {
                case CONTENT, CONTROL_MESSAGE -> {
                    ContentWrite writes = posted.oldestContents();
                    posted.removeOldest();
                    written(writes, work);
                }
                case BIND -> {
                    WindowGrant grant = posted.oldestGrant();
                    posted.removeOldest();
                    keys.onBound(grant);
                }
                case INVALIDATE -> {
                    WindowGrant grant = posted.oldestGrant();
                    posted.removeOldest();
                    keys.onInvalidated(grant);
                }
                case READ -> {
                    ReadBatch batch = posted.oldestReads();
                    posted.removeOldest();
                    if (batch != null) {
                        batch.onRead();
                    }
                }
                case PROBE -> {
                    posted.removeOldest();
                    probing = false;
                }
                case ACKNOWLEDGEMENT, CHUNK, RECEIVE -> posted.removeOldest();
            }
        }
    }

    /// Returns, after the loss of the channel, every content that is not known to be written, and all reads.
    ///
    /// @return request indexes of the contents that are known to be written but that the peer has not acknowledged
    public List<Integer> abandon() {
        Set<Integer> unconfirmed = new LinkedHashSet<>();
        var abandoned = new ArrayList<ContentWrite>();
        var abandonedReads = new ArrayList<ReadBatch>();
        outgoing.addUnconfirmed(unconfirmed);
        outgoing.takeContents(abandoned);
        for (Lane lane : lanes) {
            lane.addUnconfirmed(unconfirmed);
            lane.takeUnfinished(abandoned, abandonedReads);
        }
        for (ContentWrite write : abandoned) {
            // Posted, but perhaps not arrived; some of its lanes may have completed.
            unconfirmed.remove(write.requestIndex());
        }
        // A content that went over several lanes occurs in this list more than once.
        for (ContentWrite write : new LinkedHashSet<>(abandoned)) {
            Tell.one("release an abandoned content", write::onAbandoned);
        }
        Tell.each("release abandoned reads", abandonedReads, ReadBatch::onAbandoned);
        return List.copyOf(unconfirmed);
    }

    /// Completes a lane's part of the content whose last piece was written, or of the contents of one slot of the ring.
    public static void written(@Nullable ContentWrite first, TurnBudget work) {
        ContentWrite write = first;
        while (write != null) {
            ContentWrite next = write.unchain();
            work.spend();
            if (write.laneWritten()) {
                write.onWritten();
            }
            write = next;
        }
    }
}
