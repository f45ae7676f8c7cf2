package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.wire.Immediate;
import java.util.Collection;

/// Credits for writes with immediate on one queue pair, in both directions: how many may still be sent, each of which
/// consumes a receive that the peer has posted, and which of those sent the peer has not acknowledged.
///
/// The peer reposts a receive as soon as it is consumed, and sends one acknowledgement for each [#batch] of them.
/// Acknowledgements consume receives too. [ConnectionParameters#RESERVED_RECEIVES] receives are reserved for them,
/// which suffices for progress at both ends when both have consumed all others (docs/protocol.md gives the proof). The
/// peer takes immediates in the order sent, so the count in an acknowledgement identifies them.
///
/// Owner: the loop.
public final class ImmediateCredits {
    private final int receiveDepth;
    private final int batch;
    // Sent immediates that the peer has not acknowledged, oldest first, as a circular buffer.
    private final int[] outstanding;
    private int oldest;
    private int outstandingCount;
    // Number of immediates received since the last acknowledgement.
    private int unacknowledged;

    /// @param receiveDepth receives posted on each end
    /// @param batch immediates covered by one acknowledgement
    ImmediateCredits(int receiveDepth, int batch) {
        this.receiveDepth = receiveDepth;
        this.batch = batch;
        this.outstanding = new int[receiveDepth];
    }

    public boolean maySend() {
        return outstandingCount < receiveDepth - ConnectionParameters.RESERVED_RECEIVES;
    }

    boolean mayAcknowledge() {
        return unacknowledged >= batch && outstandingCount < receiveDepth;
    }

    void sent(int immediate) {
        outstanding[(oldest + outstandingCount) % outstanding.length] = immediate;
        outstandingCount++;
    }

    /// Whether a peer that respects its credits could send one more.
    public boolean mayReceive() {
        return unacknowledged < receiveDepth;
    }

    /// Records the arrival of an immediate; returns false if a peer that respects its credits could not have sent it.
    ///
    /// The immediates that are unacknowledged here are outstanding at the peer, which may not have more outstanding
    /// than receives. Receives are reposted at once, so a peer that ignores its credits would never run out of them.
    public boolean received() {
        unacknowledged++;
        return unacknowledged <= receiveDepth;
    }

    void acknowledged() {
        unacknowledged -= batch;
    }

    /// Handles the acknowledgement of the oldest [#batch] immediates. Returns how many of them were control messages,
    /// or -1 if fewer are outstanding, which is a protocol violation.
    int onAcknowledgement() {
        if (outstandingCount < batch) {
            return -1;
        }
        int messages = 0;
        for (int i = 0; i < batch; i++) {
            if (outstanding[oldest] == Immediate.CONTROL_MESSAGE) {
                messages++;
            }
            oldest = (oldest + 1) % outstanding.length;
        }
        outstandingCount -= batch;
        return messages;
    }

    /// Adds the request indexes among the outstanding immediates, oldest first.
    void addRequestIndexes(Collection<Integer> indexes) {
        for (int i = 0; i < outstandingCount; i++) {
            int immediate = outstanding[(oldest + i) % outstanding.length];
            if (Immediate.isRequestIndex(immediate)) {
                indexes.add(immediate);
            }
        }
    }
}
