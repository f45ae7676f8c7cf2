package io.tensorferry.verbs.rendezvous.table;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.RendezvousLimits;
import java.util.HashMap;
import java.util.Map;

/// Counts the requests each peer has parked on this worker, and the steps that only this peer has named.
///
/// Not thread-safe: [StepTable] guards it.
final class PeerLoads {
    /// Allowed average key length; most keys are shorter than half of it.
    private static final int KEY_LENGTH = 256;

    private final RendezvousLimits limits;
    // Holds at most one entry per worker of the cluster.
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
    /// @param newStep whether the request names a step that is not open
    /// @throws TransportException `RESOURCE_EXHAUSTED` if the peer exceeds a limit
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
        return new TransportException(StatusCode.RESOURCE_EXHAUSTED, why + "; no more are accepted");
    }

    void endRequest(PeerRequest request) {
        Load load = loads.get(request.peer());
        if (load != null) {
            load.requests--;
            load.keyLength -= request.keyLength();
        }
    }

    /// Ends the count of a step that only `peer` had named: this worker has named it too, or the step is removed.
    void endStep(String peer) {
        Load load = loads.get(peer);
        if (load != null) {
            load.steps--;
        }
    }
}
