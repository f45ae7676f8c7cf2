package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.util.HashMap;
import java.util.Map;

/// What each peer has parked on this worker: its requests, and the steps that it alone has named.
///
/// Not thread-safe: [StepTable] guards it.
final class PeerLoads {
    /// What a key may have on average; most have less than half of it.
    private static final int KEY_LENGTH = 256;

    private final RendezvousLimits limits;
    // Never more entries than the cluster has workers.
    private final Map<String, Load> loads = new HashMap<>();

    private static final class Load {
        private long requests;
        private long keyLength;
        private long steps;
    }

    PeerLoads(RendezvousLimits limits) {
        this.limits = limits;
    }

    /// Counts one more request.
    ///
    /// @param newStep whether it names a step that nobody has named
    /// @throws TransportException `RESOURCE_EXHAUSTED` if that is too much
    void add(PeerRequest request, boolean newStep) {
        Load load = loads.computeIfAbsent(request.peer(), _ -> new Load());
        if (load.requests >= limits.maxPeerRequests()) {
            throw exhausted(load.requests + " requests of this peer are not answered yet");
        }
        if (load.keyLength / KEY_LENGTH >= limits.maxPeerRequests()) {
            throw exhausted(load.requests + " requests of this peer with " + load.keyLength
                    + " characters of keys are not answered yet");
        }
        if (newStep && load.steps >= limits.maxPeerSteps()) {
            throw exhausted("this peer has named " + load.steps + " steps that this worker does not know");
        }
        load.requests++;
        load.keyLength += request.keyLength();
        if (newStep) {
            load.steps++;
        }
    }

    private static TransportException exhausted(String why) {
        return new TransportException(StatusCode.RESOURCE_EXHAUSTED, why + "; no more are taken");
    }

    void endRequest(PeerRequest request) {
        Load load = loads.get(request.peer());
        if (load != null) {
            load.requests--;
            load.keyLength -= request.keyLength();
        }
    }

    /// A step that `peer` alone had named is known to this worker now, or gone.
    void endStep(String peer) {
        Load load = loads.get(peer);
        if (load != null) {
            load.steps--;
        }
    }
}
