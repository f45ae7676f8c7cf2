package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.RendezvousKey;

/// What is counted of a peer's request as long as it is not answered; the same all that time.
public interface PeerRequest {
    /// The step that it names.
    long stepId();

    /// Who asked, as `/job:worker/replica:0/task:1`.
    String peer();

    /// Characters of its key, which is kept so long.
    int keyLength();

    static PeerRequest of(long stepId, String peer, RendezvousKey key) {
        return of(stepId, peer, key.toString().length());
    }

    static PeerRequest of(long stepId, String peer, int keyLength) {
        record Parked(long stepId, String peer, int keyLength) implements PeerRequest {}
        return new Parked(stepId, peer, keyLength);
    }
}
