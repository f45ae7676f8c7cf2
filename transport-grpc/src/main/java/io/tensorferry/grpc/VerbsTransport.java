package io.tensorferry.grpc;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.WorkerContext;

/// Tensors by RDMA.
@SuppressWarnings("DoNotCallSuggester")
final class VerbsTransport {
    private VerbsTransport() {}

    static WorkerTransport open(WorkerContext worker, long incarnation, PeerChannels peers, ServerOptions options) {
        throw new TransportException(
                StatusCode.UNIMPLEMENTED, "protocol '" + ServerConfig.GRPC_VERBS + "' is not there yet");
    }
}
