package io.tensorferry.it.benchmark.ucx;

import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.Slots;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpRequest;

/// Posts a receive and sends a request for each tensor, and polls.
public final class UcxConsumer implements TensorConsumer {
    private final UcxEnd end;
    private final Slots slots = new Slots();
    private List<Receipt> receipts = List.of();

    /// @param port the port on which the producer listens to exchange addresses
    public UcxConsumer(int port) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            end = new UcxEnd(socket);
        }
    }

    @Override
    public String device() {
        String transports = System.getenv("UCX_TLS");
        return transports == null ? "UCX's choice" : transports;
    }

    @Override
    public void begin(long bytes, int count, int slotCount) {
        slots.provide(bytes, slotCount);
        var fresh = new ArrayList<Receipt>();
        for (int slot = 0; slot < slotCount; slot++) {
            fresh.add(new Receipt(slot));
        }
        receipts = fresh;
    }

    @Override
    public void ask(int slot, Arrival arrival) {
        receipts.get(slot).ask(arrival);
    }

    @Override
    public boolean isPolled() {
        return true;
    }

    @Override
    public void progress() {
        end.progress();
    }

    private final class Receipt extends UcxCallback {
        private final int slot;
        private final ByteBuffer request;
        private @Nullable Arrival arrival;

        Receipt(int slot) {
            this.slot = slot;
            this.request = ByteBuffer.allocateDirect(Long.BYTES)
                    .order(ByteOrder.nativeOrder())
                    .putLong(0, UcxEnd.TENSOR_TAG + slot);
        }

        void ask(Arrival asking) {
            arrival = asking;
            long memory = slots.segment(slot).address();
            UcxEnd.taken(end.worker()
                    .recvTaggedNonBlocking(memory, slots.bytes(), UcxEnd.TENSOR_TAG + slot, UcxEnd.WHOLE_TAG, this));
            UcxEnd.taken(end.endpoint().sendTaggedNonBlocking(request.clear(), UcxEnd.REQUEST_TAG, UcxEnd.UNHEEDED));
        }

        @Override
        public void onSuccess(UcpRequest received) {
            Arrival asking = arrival;
            if (asking != null) {
                asking.arrived(slots.segment(slot).asSlice(0, received.getRecvSize()));
                asking.slotIsFree();
            }
        }

        @Override
        public void onError(int status, String message) {
            Arrival asking = arrival;
            if (asking != null) {
                asking.failed(UcxEnd.failed("a receive", status, message));
            }
        }
    }

    @Override
    public void close() {}
}
