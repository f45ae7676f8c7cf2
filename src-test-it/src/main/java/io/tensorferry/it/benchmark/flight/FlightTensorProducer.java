package io.tensorferry.it.benchmark.flight;

import io.grpc.netty.NettyServerBuilder;
import io.tensorferry.it.benchmark.exchange.Content;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.jspecify.annotations.Nullable;

/// Serves one batch repeatedly.
public final class FlightTensorProducer implements TensorProducer {
    private final BufferAllocator allocator = new RootAllocator();
    private final FlightServer server;
    private volatile @Nullable VectorSchemaRoot root;
    private long bytes = -1;

    public FlightTensorProducer(int port) throws IOException {
        Consumer<NettyServerBuilder> tuning = builder -> builder.flowControlWindow(FlightEnd.FLOW_CONTROL_BYTES);
        server = FlightServer.builder(allocator, Location.forGrpcInsecure("localhost", port), new Tensors())
                .transportHint("grpc.builderConsumer", tuning)
                .build()
                .start();
    }

    private final class Tensors extends NoOpFlightProducer {
        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            listener.setUseZeroCopy(true);
            listener.start(root);
            listener.putNext();
            listener.completed();
        }
    }

    @Override
    public void serve(long newBytes) {
        if (newBytes == bytes) {
            return;
        }
        VectorSchemaRoot old = root;
        if (old != null) {
            old.close();
        }
        var column = new VarBinaryVector(FlightEnd.COLUMN, allocator);
        column.allocateNew(newBytes, 1);
        column.setValueLengthSafe(0, Math.toIntExact(newBytes));
        column.setIndexDefined(0);
        column.setLastSet(0);
        column.setValueCount(1);
        Content.fill(MemorySegment.ofBuffer(column.getDataBuffer().nioBuffer(0, (int) newBytes)));
        root = new VectorSchemaRoot(List.<FieldVector>of(column));
        bytes = newBytes;
    }

    @Override
    public void rest() {}

    @Override
    public void close() {
        try {
            server.close();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
