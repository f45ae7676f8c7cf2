package io.tensorferry.grpc.peer;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.proto.PingRequest;
import io.tensorferry.proto.PingResponse;
import io.tensorferry.proto.TensorServiceGrpc;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Verifies that a peer answers, and under the expected name.
///
/// Threading: any thread.
public final class PeerPing {
    private final String workerName;
    private final PeerChannels peers;

    public PeerPing(String workerName, PeerChannels peers) {
        this.workerName = workerName;
        this.peers = peers;
    }

    /// Completes when `peer` has answered under this name. Fails with a [TransportException]; `FAILED_PRECONDITION` if
    /// another worker serves at its address.
    public CompletableFuture<Void> ping(String peer) {
        return peers.whenReady(peer)
                .thenComposeAsync(
                        channel -> call(channel).thenAccept(answer -> requireName(channel, answer.getHostName())),
                        peers::offLoop)
                .exceptionallyCompose(
                        failure -> CompletableFuture.failedFuture(GrpcStatus.fromGrpc("a ping", peer, failure)));
    }

    private CompletableFuture<PingResponse> call(PeerChannel channel) {
        var answer = new UnaryAnswer<PingResponse>();
        TensorServiceGrpc.newStub(channel.grpc())
                .withDeadlineAfter(peers.timeouts().call().toNanos(), TimeUnit.NANOSECONDS)
                .ping(PingRequest.newBuilder().setHostName(workerName).build(), answer);
        return answer.future();
    }

    private static void requireName(PeerChannel channel, String name) {
        if (!name.equals(channel.worker())) {
            throw new TransportException(
                    StatusCode.FAILED_PRECONDITION,
                    "the worker at " + channel.address() + " is '" + name + "', not " + channel.worker()
                            + "; all workers must be given the same cluster",
                    channel.worker(),
                    0,
                    null);
        }
    }
}
