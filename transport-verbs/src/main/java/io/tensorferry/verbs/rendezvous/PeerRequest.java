package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RendezvousKey;

/// What is counted of a peer's request as long as it is not answered. Immutable.
///
/// @param stepId the step that it names
/// @param peer who asked, as `/job:worker/replica:0/task:1`
/// @param keyLength characters of its key, which is kept so long
public record PeerRequest(long stepId, String peer, int keyLength) {
    public static PeerRequest of(long stepId, String peer, RendezvousKey key) {
        return new PeerRequest(stepId, peer, key.toString().length());
    }
}
