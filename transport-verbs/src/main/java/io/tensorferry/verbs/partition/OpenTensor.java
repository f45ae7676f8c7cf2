package io.tensorferry.verbs.partition;

import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.partition.Gather;
import io.tensorferry.api.partition.GatherOptions;
import io.tensorferry.api.partition.GatherProgress;
import io.tensorferry.api.partition.PartitionedTensor;
import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowRange;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/// A partitioned tensor that is open on this worker: its own rows, the sources of the other rows, and the gathers in
/// progress.
///
/// Owner: the loop, unless stated otherwise. Any thread may call the public methods.
final class OpenTensor implements PartitionedTensor {
    private final PartitionedTensorSpec spec;
    private final TensorMetaData metaData;
    private final PartitionContext context;
    private final Consumer<OpenTensor> onClose;
    private final Consumer<OpenTensor> onPublished;
    private final OwnedRows rows;
    private final BlockPool blocks = new BlockPool();
    private final Staging staging;
    private final List<RowSource> sources = new ArrayList<>();
    private final Set<RunningGather> gathers = new LinkedHashSet<>();
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    // The futures shown to the user.
    private final CompletableFuture<Void> shownReady;
    private final CompletableFuture<Void> shownEnded;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean usesReplica;
    private boolean published;
    private boolean over;

    /// @param workerName the name of this worker
    /// @param onPublished called on the loop after [#publish()]
    /// @param onClose called at once, on the thread that closes the tensor
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory
    OpenTensor(
            PartitionedTensorSpec spec,
            String workerName,
            PartitionContext context,
            Consumer<OpenTensor> onPublished,
            Consumer<OpenTensor> onClose) {
        this.spec = spec;
        this.metaData = TensorMetaData.of(spec.dataType(), spec.shape());
        this.context = context;
        this.onPublished = onPublished;
        this.onClose = onClose;
        this.shownReady = context.users().shown(ready);
        this.shownEnded = context.users().shown(ended);
        this.staging = new Staging(context);
        this.rows = new OwnedRows(
                spec,
                spec.partition().rangeOf(workerName),
                context.memory(),
                context::work,
                () -> ended.complete(null));
    }

    /// Starts to request the peers' parts.
    ///
    /// @param peers the peers whose rows are read
    void start(List<RowSource> peers) {
        sources.addAll(peers);
        sources.forEach(RowSource::ask);
        onGranted();
    }

    @Override
    public PartitionedTensorSpec spec() {
        return spec;
    }

    TensorMetaData metaData() {
        return metaData;
    }

    @Override
    public RowRange localRange() {
        return rows.range();
    }

    @Override
    public MemorySegment localRows() {
        return rows.part();
    }

    @Override
    public void publish() {
        context.loop().execute(() -> {
            if (!published && !over) {
                published = true;
                onPublished.accept(this);
            }
        });
    }

    @Override
    public MemorySegment replicatedRows() {
        return rows.replica();
    }

    @Override
    public void useReplica() {
        usesReplica = true;
    }

    @Override
    public CompletableFuture<Void> ready() {
        return shownReady;
    }

    @Override
    public CompletableFuture<Void> ended() {
        return shownEnded;
    }

    @Override
    public Gather gather(long[] ids, Tensor out, GatherOptions options, GatherProgress progress) {
        checkResult(ids.length, out);
        checkIds(ids);
        if (closed.get()) {
            throw new IllegalStateException("the partitioned tensor '" + spec.name() + "' is closed");
        }
        var gather = new RunningGather(this, context, ids, out.share(), options, progress);
        context.counters().gathersUnderWay.incrementAndGet();
        context.loop().execute(() -> start(gather));
        return gather;
    }

    private void checkResult(int count, Tensor out) {
        Shape wanted = Shape.of(count, spec.columns());
        if (out.dataType() != spec.dataType() || !out.shape().equals(wanted)) {
            throw new IllegalArgumentException("the rows of " + count + " ids of '" + spec.name() + "' are a "
                    + spec.dataType() + " tensor of shape " + wanted + ", not a " + out.dataType() + " tensor of shape "
                    + out.shape());
        }
        if (out.segment().isReadOnly()) {
            throw new IllegalArgumentException("rows cannot be gathered into memory that is read-only");
        }
    }

    private void checkIds(long[] ids) {
        long count = spec.rows();
        for (int i = 0; i < ids.length; i++) {
            if (ids[i] < 0 || ids[i] >= count) {
                throw new IllegalArgumentException("id " + ids[i] + " at position " + i + " is not a row of '"
                        + spec.name() + "', which has rows 0 to " + (count - 1));
            }
        }
    }

    private void start(RunningGather gather) {
        if (over) {
            gather.fail(closedException());
            return;
        }
        gathers.add(gather);
        rows.hold();
        gather.start();
    }

    void onEnded(RunningGather gather) {
        context.counters().gathersUnderWay.decrementAndGet();
        if (gathers.remove(gather)) {
            rows.letGo();
        }
    }

    /// Called by a worker while the gather holds the rows.
    void plan(BlockPlan plan, long[] ids, int from, int count, ReadRules rules, boolean withReplica) {
        RowRange replica = withReplica ? rows.replicated() : RowRange.EMPTY;
        plan.plan(ids, from, count, spec.partition(), rows.range(), replica, rules);
    }

    OwnedRows rows() {
        return rows;
    }

    boolean usesReplica() {
        return usesReplica;
    }

    BlockPool blocks() {
        return blocks;
    }

    Staging staging() {
        return staging;
    }

    /// The peers that have rows.
    List<RowSource> sources() {
        return sources;
    }

    boolean isPublished() {
        return published;
    }

    boolean isReady() {
        return ready.isDone();
    }

    /// A source has been granted; completes [#ready()] once all are.
    void onGranted() {
        if (!ready.isDone() && sources.stream().allMatch(RowSource::wasGranted)) {
            ready.complete(null);
        }
    }

    /// A source cannot be read.
    void onNotReady(TransportException cause) {
        ready.completeExceptionally(cause);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            onClose.accept(this);
        }
    }

    private TransportException closedException() {
        return new TransportException(StatusCode.ABORTED, "the partitioned tensor '" + spec.name() + "' was closed");
    }

    /// Refuses further gathers and fails those in progress. The second and later calls do nothing.
    void end() {
        if (over) {
            return;
        }
        over = true;
        closed.set(true);
        TransportException cause = closedException();
        List.copyOf(gathers).forEach(gather -> gather.fail(cause));
        sources.forEach(source -> source.close(cause));
        onNotReady(cause);
        staging.close();
        rows.letGo();
    }
}
