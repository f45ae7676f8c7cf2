package io.tensorferry.verbs.channel.lane;

import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.wire.Immediate;
import java.util.Collection;

/// The writes with immediate of one queue pair, in both directions: how many the peer may still be sent, each of which
/// uses up one of the receives that the peer has posted, and which of those sent the peer has not acknowledged.
///
/// The peer posts a receive again as soon as one is used, and sends one acknowledgement for each [#batch] of them.
/// Acknowledgements use up receives too; [ConnectionParameters#RESERVED_RECEIVES] receives are kept for them, which
/// suffices for both ends to make progress when both have used up all others (docs/protocol.md shows why). The peer
/// takes immediates in the order sent, so an acknowledgement, which is a mere count, tells which they were.
///
/// Owner: the loop.
public final class ImmediateCredits {
    private final int receiveDepth;
    private final int batch;
    // Immediates sent whose receives the peer has not yet said to be posted again, in a circle, oldest first.
    private final int[] outstanding;
    private int oldest;
    private int outstandingCount;
    // Immediates received since the last acknowledgement.
    private int unacknowledged;

    /// @param receiveDepth receives posted on each end
    /// @param batch immediates that one acknowledgement stands for
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

    /// Whether a peer that counts its credits could send one more.
    public boolean mayReceive() {
        return unacknowledged < receiveDepth;
    }

    /// An immediate arrived; returns false if a peer that counts its credits could not have sent it.
    ///
    /// The immediates that are unacknowledged here are outstanding at the peer, which may not have more outstanding
    /// than receives. Receives are posted again at once, so a peer that does not count would never run out of them.
    public boolean received() {
        unacknowledged++;
        return unacknowledged <= receiveDepth;
    }

    void acknowledged() {
        unacknowledged -= batch;
    }

    /// The peer acknowledged the oldest [#batch] immediates. Returns how many of them were control messages, or -1 if
    /// fewer are outstanding: the peer lies.
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
