package io.tensorferry.it.benchmark.grpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.BytesValue;
import com.google.protobuf.Int64Value;
import com.google.protobuf.UnsafeByteOperations;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.tensorferry.it.benchmark.exchange.Content;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.LongStream;

/// Serves both methods of [TensorService], with messages that are built before any request.
public final class GrpcProducer implements TensorProducer {
    private final Server server;
    private volatile BytesValue whole = BytesValue.getDefaultInstance();
    private volatile List<BytesValue> chunks = List.of(whole);

    public GrpcProducer(int port) throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .flowControlWindow(TensorService.FLOW_CONTROL_BYTES)
                .directExecutor()
                .addService(ServerServiceDefinition.builder(TensorService.NAME)
                        .addMethod(TensorService.GET, ServerCalls.asyncUnaryCall(this::get))
                        .addMethod(TensorService.STREAM, ServerCalls.asyncBidiStreamingCall(this::stream))
                        .build())
                .build()
                .start();
    }

    private void get(Int64Value request, StreamObserver<BytesValue> answer) {
        answer.onNext(whole);
        answer.onCompleted();
    }

    private StreamObserver<Int64Value> stream(StreamObserver<BytesValue> answer) {
        return new TensorStream((ServerCallStreamObserver<BytesValue>) answer, () -> chunks);
    }

    @Override
    public void serve(long bytes) {
        if (whole.getValue().size() == bytes) {
            return;
        }
        byte[] content = new byte[Math.toIntExact(bytes)];
        Content.fill(MemorySegment.ofArray(content));
        ByteString all = UnsafeByteOperations.unsafeWrap(content);
        whole = BytesValue.of(all);
        chunks = LongStream.iterate(0, from -> from == 0 || from < bytes, from -> from + TensorService.CHUNK_BYTES)
                .mapToObj(from -> BytesValue.of(
                        all.substring((int) from, (int) Math.min(bytes, from + TensorService.CHUNK_BYTES))))
                .toList();
    }

    @Override
    public void rest() {}

    @Override
    public void close() {
        server.shutdownNow();
    }
}
