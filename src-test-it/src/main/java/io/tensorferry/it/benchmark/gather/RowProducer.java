package io.tensorferry.it.benchmark.gather;

import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.benchmark.exchange.Content;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import io.tensorferry.it.benchmark.rendezvous.Knobs;
import io.tensorferry.it.benchmark.rendezvous.RendezvousNode;
import io.tensorferry.it.benchmark.rendezvous.Variant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Holds the rows that [RowConsumer] reads; takes no part in the transfers.
public final class RowProducer implements TensorProducer {
    private final TransportServer server;
    private @Nullable PartitionedTensor rows;

    private RowProducer(TransportServer server) {
        this.server = server;
    }

    /// @param ports the ports of the producer and of the consumer
    public static RowProducer open(Variant variant, Knobs knobs, List<Integer> ports) {
        return new RowProducer(RendezvousNode.start(variant, knobs, ports, RendezvousNode.PRODUCER));
    }

    @Override
    public void serve(long bytes) {
        PartitionedTensorSpec spec = RowTable.of(bytes);
        if (rows != null) {
            if (rows.spec().equals(spec)) {
                return;
            }
            rows.close();
        }
        PartitionedTensor opened = server.openPartitioned(spec);
        for (long row = 0; row < spec.rows(); row++) {
            Content.fill(opened.localRows().asSlice(row * bytes, bytes));
        }
        opened.publish();
        rows = opened;
    }

    @Override
    public void rest() {}

    @Override
    public void close() {
        server.close();
    }
}
