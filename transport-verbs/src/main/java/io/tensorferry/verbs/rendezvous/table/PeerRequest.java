package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.RendezvousKey;

/// The properties of an unanswered peer request that count against the peer's limits; constant while the request is
/// unanswered.
public interface PeerRequest {
    /// The step that the request names.
    long stepId();

    /// The requesting worker, as `/job:worker/replica:0/task:1`.
    String peer();

    /// The length of the request's key in characters; the key is kept until the request is answered.
    int keyLength();

    static PeerRequest of(long stepId, String peer, RendezvousKey key) {
        return of(stepId, peer, key.toString().length());
    }

    static PeerRequest of(long stepId, String peer, int keyLength) {
        record Parked(long stepId, String peer, int keyLength) implements PeerRequest {}
        return new Parked(stepId, peer, keyLength);
    }
}
