package io.tensorferry.it.benchmark.ucx;

import io.tensorferry.it.benchmark.exchange.ServingThread;
import io.tensorferry.it.benchmark.exchange.Slots;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpRequest;

/// Answers each request by sending its tensor, on one thread that polls while it serves.
public final class UcxProducer implements TensorProducer {
    private static final int REQUESTS = 64;

    private final ServerSocket listener;
    private final ServingThread thread;
    private final Slots source = new Slots();
    private @Nullable UcxEnd end;

    /// @param port the port on which the consumer finds this producer
    public UcxProducer(int port) throws IOException {
        listener = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        thread = new ServingThread("ucx", this::turn);
        // The first turn waits for the consumer, which opens after this.
        thread.resume();
    }

    private void turn() {
        UcxEnd connected = end;
        if (connected == null) {
            connected = accept();
            end = connected;
            for (int i = 0; i < REQUESTS; i++) {
                new Request(connected).await();
            }
        }
        connected.progress();
    }

    private UcxEnd accept() {
        try (listener;
                Socket socket = listener.accept()) {
            return new UcxEnd(socket);
        } catch (IOException e) {
            throw new UncheckedIOException("no consumer connected", e);
        }
    }

    /// A slot for the next received request.
    private final class Request extends UcxCallback {
        private final UcxEnd connected;
        private final ByteBuffer tag = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());

        Request(UcxEnd connected) {
            this.connected = connected;
        }

        void await() {
            UcxEnd.taken(
                    connected.worker().recvTaggedNonBlocking(tag.clear(), UcxEnd.REQUEST_TAG, UcxEnd.WHOLE_TAG, this));
        }

        @Override
        public void onSuccess(UcpRequest received) {
            UcxEnd.taken(connected
                    .endpoint()
                    .sendTaggedNonBlocking(
                            source.segment(0).address(), source.bytes(), tag.getLong(0), UcxEnd.UNHEEDED));
            await();
        }

        @Override
        public void onError(int status, String message) {
            throw UcxEnd.failed("a receive", status, message);
        }
    }

    @Override
    public void serve(long bytes) {
        source.provideSource(bytes);
        thread.resume();
    }

    @Override
    public void rest() throws InterruptedException {
        thread.pause();
    }

    @Override
    public void close() {
        thread.close();
    }
}
