package io.tensorferry.verbs.partition;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowPartition;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.PartHandler;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.link.RdmaAdapter;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.statistics.PartitionStatistics;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.MessageCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/// Manages the partitioned tensors of one worker over one adapter.
///
/// Threading: public methods from any thread; events of the adapter arrive on the loop.
public final class PartitionManager implements AutoCloseable {
    private final String workerName;
    private final Set<String> members;
    private final PartitionContext context;
    // The tensors that are not closed.
    private final Map<String, OpenTensor> names = new ConcurrentHashMap<>();
    // Owned by the loop.
    private final Map<String, OpenTensor> tensors = new HashMap<>();
    private final Map<String, PeerParts> peers = new HashMap<>();
    private volatile boolean closed;

    /// @param adapter the caller starts it with [#handler()], and closes it after this manager
    /// @param members the workers of the cluster
    /// @param users runs user code: the progress of gathers, and actions attached to futures
    public PartitionManager(RdmaAdapter adapter, Set<String> members, UserCode users) {
        this.workerName = adapter.workerName();
        this.members = Set.copyOf(members);
        this.context = new PartitionContext(
                adapter.loop(), adapter.background(), users, adapter.memory(), new PartitionCounters(), adapter);
    }

    /// The handler for the messages and events of the adapter's channels.
    public PartHandler handler() {
        return new Incoming();
    }

    /// Opens this worker's end of a partitioned tensor, with memory for its rows.
    ///
    /// @throws IllegalArgumentException if a worker of the partition is not a member of the cluster, or the name is too
    ///     long
    /// @throws IllegalStateException if a tensor of this name is open already
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory, `UNAVAILABLE` once this is closed
    public PartitionedTensor open(PartitionedTensorSpec spec) {
        for (String worker : spec.partition().workers()) {
            if (!worker.equals(workerName) && !members.contains(worker)) {
                throw new IllegalArgumentException("'" + worker + "', which has rows of '" + spec.name()
                        + "', is not a member of the cluster of " + workerName);
            }
        }
        if (!MessageCodec.mayName(spec.name(), TensorMetaData.of(spec.dataType(), spec.shape()))) {
            throw new IllegalArgumentException(
                    "the name '" + spec.name() + "' and the shape are too long for a message");
        }
        if (closed) {
            throw stopped();
        }
        var tensor = new OpenTensor(spec, workerName, context, this::serve, this::onClose);
        if (names.putIfAbsent(spec.name(), tensor) != null) {
            tensor.rows().letGo();
            throw new IllegalStateException("a partitioned tensor '" + spec.name() + "' is open already");
        }
        context.loop().execute(() -> start(tensor));
        return tensor;
    }

    private void start(OpenTensor tensor) {
        if (closed) {
            names.remove(tensor.spec().name(), tensor);
            tensor.end();
            return;
        }
        tensors.put(tensor.spec().name(), tensor);
        serve(tensor);
        RowPartition partition = tensor.spec().partition();
        List<RowSource> sources = new ArrayList<>();
        for (int owner = 0; owner < partition.workers().size(); owner++) {
            String name = partition.workers().get(owner);
            if (!name.equals(workerName)
                    && !partition.range(owner).isEmpty()
                    && tensor.spec().rowBytes() > 0) {
                sources.add(new RowSource(tensor, context, peer(name), owner));
            }
        }
        tensor.start(sources);
    }

    private void serve(OpenTensor tensor) {
        peers.values().forEach(peer -> peer.serve(tensor));
    }

    /// On the thread that closes the tensor.
    private void onClose(OpenTensor tensor) {
        names.remove(tensor.spec().name(), tensor);
        context.loop()
                .execute(() -> end(
                        tensor,
                        new TransportException(
                                StatusCode.ABORTED,
                                workerName + " has closed '" + tensor.spec().name() + "'")));
    }

    private void end(OpenTensor tensor, TransportException cause) {
        tensors.remove(tensor.spec().name(), tensor);
        peers.values().forEach(peer -> peer.end(tensor, cause));
        tensor.end();
    }

    private PeerParts peer(String name) {
        return peers.computeIfAbsent(name, _ -> new PeerParts(name, tensors::get));
    }

    private TransportException stopped() {
        return new TransportException(StatusCode.UNAVAILABLE, workerName + " is stopping");
    }

    /// Whether a gather is in progress. Any thread; the answer may be outdated when the method returns.
    public boolean isBusy() {
        return context.counters().gathersUnderWay.get() > 0;
    }

    public PartitionStatistics statistics() {
        PartitionCounters counters = context.counters();
        return new PartitionStatistics(
                names.size(),
                counters.gathersUnderWay.get(),
                counters.gathers.sum(),
                counters.localRows.sum(),
                counters.remoteRows.sum(),
                counters.reads.sum(),
                counters.bytesRead.sum(),
                counters.readsAgain.sum());
    }

    /// Closes every tensor: gathers in progress fail. The adapter continues until it is closed.
    @Override
    public void close() {
        closed = true;
        context.loop().execute(() -> {
            var cause = new TransportException(StatusCode.ABORTED, workerName + " is stopping");
            peers.values().forEach(peer -> peer.stop(cause));
            for (OpenTensor tensor : List.copyOf(tensors.values())) {
                names.remove(tensor.spec().name(), tensor);
                end(tensor, cause);
            }
        });
    }

    /// Handles the messages and events of the channels. On the loop.
    private final class Incoming implements PartHandler {
        @Override
        public void onMessage(RdmaChannel channel, Message.OfPart message) {
            peer(channel.peer()).onMessage(channel, message);
        }

        @Override
        public void onChannelOpen(RdmaChannel channel) {
            // Sources that need the peer have requested the channel themselves.
        }

        @Override
        public void onMemoryStranded(RdmaChannel channel) {
            peer(channel.peer()).onMemoryStranded();
        }

        @Override
        public void onChannelLost(RdmaChannel channel, ChannelLoss loss) {
            peer(channel.peer()).onChannelLost(loss);
        }
    }
}
