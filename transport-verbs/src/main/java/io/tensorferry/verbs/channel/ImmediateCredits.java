package io.tensorferry.verbs.channel;

/// Counts, for one queue pair, the writes with immediate that the peer may still be sent: each uses up one of the
/// receives that the peer has posted.
///
/// The peer posts a receive again as soon as one is used, and says so with one acknowledgement for each [#batch] of
/// them. Acknowledgements use up receives too; [#RESERVE] receives are kept for them, which suffices for both ends
/// to go on when both have used up all others (docs/protocol.md shows why).
///
/// Owner: the loop.
final class ImmediateCredits {
    static final int RESERVE = 8;

    private final int receiveDepth;
    private final int batch;
    // Immediates sent whose receives the peer has not yet said to be posted again.
    private int outstanding;
    // Immediates received since the last acknowledgement.
    private int unacknowledged;

    /// @param receiveDepth receives posted on each end
    /// @param batch immediates that one acknowledgement stands for
    ImmediateCredits(int receiveDepth, int batch) {
        this.receiveDepth = receiveDepth;
        this.batch = batch;
    }

    boolean maySend() {
        return outstanding < receiveDepth - RESERVE;
    }

    boolean mayAcknowledge() {
        return unacknowledged >= batch && outstanding < receiveDepth;
    }

    void sent() {
        outstanding++;
    }

    /// Whether a peer that counts its credits could send one more.
    boolean mayReceive() {
        return unacknowledged < receiveDepth;
    }

    /// An immediate arrived; returns false if a peer that counts its credits could not have sent it.
    ///
    /// What is unacknowledged here the peer counts as outstanding, and it may not have more outstanding than
    /// receives. Receives are posted again at once, so a peer that does not count would never run out of them.
    boolean received() {
        unacknowledged++;
        return unacknowledged <= receiveDepth;
    }

    void acknowledged() {
        unacknowledged -= batch;
    }

    /// The peer acknowledged a batch; returns its size, or 0 if so many are not outstanding: the peer lies.
    int onAcknowledgement() {
        if (outstanding < batch) {
            return 0;
        }
        outstanding -= batch;
        return batch;
    }
}
