package io.tensorferry.it.benchmark.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Int64Value;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.Slots;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/// Requests tensors on one long-lived call, and copies each chunk to its place.
public final class GrpcStreamConsumer implements TensorConsumer {
    private final ManagedChannel channel;
    private final StreamObserver<Int64Value> requests;
    private final Slots slots = new Slots();
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();
    private Int64Value request = Int64Value.getDefaultInstance();

    private record Asked(int slot, Arrival arrival) {}

    public GrpcStreamConsumer(int port) {
        channel = GrpcConsumer.connect(port);
        requests = ClientCalls.asyncBidiStreamingCall(
                channel.newCall(TensorService.STREAM, CallOptions.DEFAULT), new Answers());
    }

    @Override
    public String device() {
        return "loopback TCP";
    }

    @Override
    public void begin(long bytes, int count, int slotCount) {
        slots.provide(bytes, slotCount);
        request = Int64Value.of(bytes);
    }

    /// Queues the request: tensors arrive in the order of the requests.
    @Override
    public void ask(int slot, Arrival arrival) {
        synchronized (asked) {
            asked.add(new Asked(slot, arrival));
            slots.buffer(slot).clear();
            requests.onNext(request);
        }
    }

    /// Handles the answers of one call, which arrive one at a time.
    private final class Answers implements StreamObserver<BytesValue> {
        @Override
        public void onNext(BytesValue message) {
            Asked first;
            synchronized (asked) {
                first = asked.element();
            }
            ByteString chunk = message.getValue();
            ByteBuffer buffer = slots.buffer(first.slot);
            chunk.copyTo(buffer);
            if (!buffer.hasRemaining()) {
                synchronized (asked) {
                    asked.remove();
                }
                first.arrival.arrived(slots.segment(first.slot));
                first.arrival.slotIsFree();
            }
        }

        @Override
        public void onError(Throwable cause) {
            synchronized (asked) {
                asked.forEach(each -> each.arrival.failed(cause));
                asked.clear();
            }
        }

        @Override
        public void onCompleted() {}
    }

    @Override
    public boolean isPolled() {
        return false;
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
