package io.tensorferry.it.benchmark.ucx;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/// One end of the pair: a UCX worker and its endpoint to the other one. It lives as long as its process: an orderly
/// shutdown would wait for a peer that no longer polls. For one thread at a time.
final class UcxEnd {
    /// The tag of a request, whose eight bytes contain the tag of the answer.
    static final long REQUEST_TAG = 1;

    /// The tag of the tensor for slot 0; add `n` for slot `n`.
    static final long TENSOR_TAG = 1L << 32;

    static final long WHOLE_TAG = -1;

    /// The callback of sends whose completion is ignored.
    static final UcxCallback UNHEEDED = new UcxCallback() {
        @Override
        public void onError(int status, String message) {
            throw failed("a send", status, message);
        }
    };

    private final UcpWorker worker;
    private final UcpEndpoint endpoint;

    /// Exchanges addresses with the other end over a connection that is not needed afterwards.
    UcxEnd(Socket peer) throws IOException {
        var context = new UcpContext(new UcpParams().requestTagFeature());
        worker = context.newWorker(new UcpWorkerParams());
        ByteBuffer own = worker.getAddress();
        byte[] address = new byte[own.remaining()];
        own.get(address);
        var out = new DataOutputStream(peer.getOutputStream());
        out.writeInt(address.length);
        out.write(address);
        out.flush();
        var in = new DataInputStream(peer.getInputStream());
        byte[] other = new byte[in.readInt()];
        in.readFully(other);
        ByteBuffer peerAddress =
                ByteBuffer.allocateDirect(other.length).put(other).flip();
        endpoint = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(peerAddress));
    }

    UcpWorker worker() {
        return worker;
    }

    UcpEndpoint endpoint() {
        return endpoint;
    }

    void progress() {
        try {
            var _ = worker.progress();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException("UCX makes no progress", e);
        }
    }

    static IllegalStateException failed(String what, int status, @Nullable String message) {
        return new IllegalStateException("UCX: " + what + " failed with status " + status + ": " + message);
    }

    /// Whether `request` was accepted, or is already complete.
    static void taken(UcpRequest request) {
        if (request.isCompleted() && request.getStatus() != 0) {
            throw failed("a request", request.getStatus(), null);
        }
    }
}
