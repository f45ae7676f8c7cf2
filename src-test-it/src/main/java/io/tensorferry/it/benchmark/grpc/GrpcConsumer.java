package io.tensorferry.it.benchmark.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Int64Value;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.Slots;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/// Requests each tensor by one call, and copies the message's bytes to the slot.
public final class GrpcConsumer implements TensorConsumer {
    private final ManagedChannel channel;
    private final Slots slots = new Slots();
    private Int64Value request = Int64Value.getDefaultInstance();

    public GrpcConsumer(int port) {
        channel = connect(port);
    }

    static ManagedChannel connect(int port) {
        return NettyChannelBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .flowControlWindow(TensorService.FLOW_CONTROL_BYTES)
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .directExecutor()
                .usePlaintext()
                .build();
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

    @Override
    public void ask(int slot, Arrival arrival) {
        ClientCalls.asyncUnaryCall(
                channel.newCall(TensorService.GET, CallOptions.DEFAULT), request, new Answer(slot, arrival));
    }

    private final class Answer implements StreamObserver<BytesValue> {
        private final int slot;
        private final Arrival arrival;

        Answer(int slot, Arrival arrival) {
            this.slot = slot;
            this.arrival = arrival;
        }

        @Override
        public void onNext(BytesValue message) {
            ByteString content = message.getValue();
            content.copyTo(slots.buffer(slot).clear());
            arrival.arrived(slots.segment(slot).asSlice(0, content.size()));
        }

        @Override
        public void onError(Throwable cause) {
            arrival.failed(cause);
        }

        @Override
        public void onCompleted() {
            arrival.slotIsFree();
        }
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
