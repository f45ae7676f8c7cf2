package io.tensorferry.verbs.partition;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.partition.Gather;
import io.tensorferry.api.partition.GatherOptions;
import io.tensorferry.api.partition.GatherProgress;
import io.tensorferry.api.thread.TransportFuture;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.Registration;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// One gather: takes its ids block by block, has a worker plan each block, and passes the reads to the row sources. It
/// ends once none of its blocks is in use, so that nothing writes its result any more.
///
/// Owner: the loop.
final class RunningGather implements Gather {
    // One block is read while the next is planned; a third helps if planning is slower.
    private static final int MOST_BLOCKS = 3;

    private final OpenTensor tensor;
    private final PartitionContext context;
    private final long[] ids;
    private final Tensor out;
    private final MemorySegment outSegment;
    private final GatherOptions options;
    private final ProgressReports progress;
    private final CompletableFuture<Void> done = new TransportFuture<>();
    private final @Nullable MemoryRegion region;
    private final ReadRules rules;
    private @Nullable Registration registration;
    private int outKey;
    private int next;
    private int blocksOut;
    private boolean waitsForBlock;
    private long arrived;
    private @Nullable TransportException failure;
    private boolean stranded;
    private boolean ended;

    /// @param out a handle that this gather takes over
    RunningGather(
            OpenTensor tensor,
            PartitionContext context,
            long[] ids,
            Tensor out,
            GatherOptions options,
            GatherProgress progress) {
        this.tensor = tensor;
        this.context = context;
        this.ids = ids;
        this.out = out;
        this.outSegment = out.segment();
        this.options = options;
        this.progress = new ProgressReports(progress, context.users(), ids.length);
        long bytes = outSegment.byteSize();
        this.region = bytes == 0 ? null : context.memory().regionOf(outSegment.address(), bytes);
        this.outKey = region == null ? 0 : region.localKey();
        this.rules = ReadRules.of(options, tensor.spec().rowBytes(), region != null || isRegisteredHere());
    }

    /// Whether rows exceed a staging buffer, so that the result is registered for the duration of the gather.
    private boolean isRegisteredHere() {
        return region == null && tensor.spec().rowBytes() > Staging.BYTES;
    }

    GatherOptions options() {
        return options;
    }

    ReadRules rules() {
        return rules;
    }

    MemorySegment out() {
        return outSegment;
    }

    long outAddress() {
        return outSegment.address();
    }

    int outKey() {
        return outKey;
    }

    boolean hasFailed() {
        return failure != null;
    }

    @Override
    public CompletableFuture<Void> done() {
        return done;
    }

    @Override
    public void cancel() {
        context.loop().execute(() -> fail(new TransportException(StatusCode.CANCELLED, "the gather was cancelled")));
    }

    /// The device may still write the result.
    void onMemoryStranded() {
        stranded = true;
    }

    void start() {
        if (rules.rowBytes() == 0) {
            next = ids.length;
            if (next > 0) {
                tellProgress(next);
            }
            endIfNothingIsOut();
        } else if (isRegisteredHere()) {
            // Counts as a block, so that the gather does not end during the registration.
            blocksOut++;
            context.work(this::register);
        } else {
            takeBlocks();
        }
    }

    private void register() {
        TransportException refusal = null;
        try {
            Registration registered = context.memory().register(outSegment);
            registration = registered;
            outKey = registered.region().localKey();
        } catch (TransportException e) {
            refusal = e;
        }
        TransportException why = refusal;
        context.loop().execute(() -> {
            blocksOut--;
            if (why != null) {
                fail(why);
            }
            takeBlocks();
        });
    }

    private void takeBlocks() {
        while (failure == null && !waitsForBlock && next < ids.length && blocksOut < MOST_BLOCKS) {
            waitsForBlock = true;
            tensor.blocks().request(this);
        }
        endIfNothingIsOut();
    }

    /// Receives the requested block.
    void onBlock(GatherBlock block) {
        waitsForBlock = false;
        int count = Math.min(BlockPlan.MOST_ROWS, ids.length - next);
        block.begin(this, next, count);
        next += count;
        blocksOut++;
        boolean usesReplica = tensor.usesReplica();
        context.work(() -> plan(block, usesReplica));
        takeBlocks();
    }

    /// On a worker.
    private void plan(GatherBlock block, boolean usesReplica) {
        TransportException refusal = null;
        try {
            tensor.plan(block.plan, ids, block.from(), block.count(), rules, usesReplica);
            copyLocalRows(block);
        } catch (IndexOutOfBoundsException e) {
            refusal = new TransportException(
                    StatusCode.INVALID_ARGUMENT, "the ids were changed while they were gathered: " + e.getMessage(), e);
        } catch (TransportException e) {
            refusal = e;
        } catch (RuntimeException | Error e) {
            refusal = new TransportException(StatusCode.INTERNAL, "rows could not be planned: " + e, e);
        }
        TransportException why = refusal;
        context.loop().execute(() -> onPlanned(block, why));
    }

    private void copyLocalRows(GatherBlock block) {
        BlockPlan plan = block.plan;
        for (int key = plan.firstKey(plan.readCount()); key < plan.rows(); key++) {
            long place = (block.from() + (long) plan.position(key)) * rules.rowBytes();
            tensor.rows().copy(plan.rowOf(key), outSegment, place);
        }
    }

    private void onPlanned(GatherBlock block, @Nullable TransportException refusal) {
        if (refusal != null) {
            fail(refusal);
        }
        if (failure != null) {
            block.expect(0);
            onSettled(block);
            return;
        }
        block.expect(block.plan.readCount());
        int local = block.plan.localRows();
        if (local > 0) {
            context.counters().localRows.add(local);
            tellProgress(local);
        }
        if (block.isSettled()) {
            onSettled(block);
            return;
        }
        // After a failure the block may belong to another gather.
        int reads = block.plan.readCount();
        for (RowSource source : tensor.sources()) {
            int first = block.plan.firstReadOf(source.owner());
            int end = block.plan.firstReadOf(source.owner() + 1);
            if (first < end) {
                source.enqueue(block, first, end);
            }
            if (failure != null) {
                // The rest is not enqueued.
                drop(block, reads - end);
                return;
            }
        }
    }

    /// Reads of a block are done, and their rows are in their places.
    void onRead(GatherBlock block, int reads, int rows) {
        context.counters().remoteRows.add(rows);
        tellProgress(rows);
        drop(block, reads);
    }

    /// Counts reads of a block as finished.
    void drop(GatherBlock block, int reads) {
        if (reads > 0 && block.settle(reads)) {
            onSettled(block);
        }
    }

    private void tellProgress(int rows) {
        arrived += rows;
        if (failure == null) {
            progress.arrived(arrived);
        }
    }

    private void onSettled(GatherBlock block) {
        blocksOut--;
        tensor.blocks().giveBack(block);
        takeBlocks();
    }

    /// Fails the gather; does nothing if it has failed or ended. It ends once no read of it is in flight.
    void fail(TransportException cause) {
        if (failure != null || ended) {
            return;
        }
        failure = cause;
        if (waitsForBlock) {
            waitsForBlock = false;
            tensor.blocks().withdraw(this);
        }
        tensor.sources().forEach(source -> source.drop(this));
        endIfNothingIsOut();
    }

    private void endIfNothingIsOut() {
        if (ended || blocksOut > 0 || waitsForBlock || (failure == null && next < ids.length)) {
            return;
        }
        ended = true;
        TransportException cause = failure;
        if (cause == null) {
            context.counters().gathers.increment();
        }
        tensor.onEnded(this);
        // Deregistering memory is slow.
        context.work(() -> {
            if (!stranded) {
                giveMemoryBack();
            }
            progress.end(() -> {
                if (cause == null) {
                    done.complete(null);
                } else {
                    done.completeExceptionally(cause);
                }
            });
        });
    }

    private void giveMemoryBack() {
        if (registration != null) {
            registration.close();
        }
        out.close();
    }
}
