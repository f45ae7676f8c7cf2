package io.tensorferry.verbs.partition;

import io.tensorferry.api.partition.PartitionedTensorSpec;
import io.tensorferry.api.partition.RowRange;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.memory.Registration;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The memory of one worker's rows of a tensor: its part, which peers may read, and its copy of other rows.
///
/// The memory is released once every holder has let go: the open tensor, each peer that may read it, each gather.
///
/// Threading: any thread.
final class OwnedRows {
    private static final Logger LOG = LoggerFactory.getLogger(OwnedRows.class);

    private final RowRange range;
    private final RowRange replicated;
    private final long rowBytes;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment part;
    private final @Nullable Registration registration;
    private final @Nullable RegisteredBuffer replica;
    private final Executor workers;
    private final Runnable onFree;
    private final AtomicInteger holds = new AtomicInteger(1);

    /// @param range the rows of this worker
    /// @param workers runs the release of the memory: deregistering takes about 0.25 s per GiB
    /// @param onFree runs once, when the memory is released
    /// @throws io.tensorferry.api.TransportException `RESOURCE_EXHAUSTED` if there is no memory, or it cannot be pinned
    OwnedRows(PartitionedTensorSpec spec, RowRange range, RegisteredMemory memory, Executor workers, Runnable onFree) {
        this.range = range;
        this.replicated = spec.replicated() == null ? RowRange.EMPTY : spec.replicated();
        this.rowBytes = spec.rowBytes();
        this.workers = workers;
        this.onFree = onFree;
        long bytes = range.count() * rowBytes;
        long replicaBytes = replicated.count() * rowBytes;
        Registration registered = null;
        try {
            this.part = bytes == 0 ? MemorySegment.NULL : memory.allocateOutsidePool(arena, bytes);
            registered = bytes == 0 ? null : memory.registerReadable(part);
            this.replica = replicaBytes == 0 ? null : memory.allocate(replicaBytes);
            this.registration = registered;
        } catch (RuntimeException e) {
            if (registered != null) {
                registered.close();
            }
            arena.close();
            throw e;
        }
    }

    RowRange range() {
        return range;
    }

    RowRange replicated() {
        return replicated;
    }

    MemorySegment part() {
        return part;
    }

    MemorySegment replica() {
        return replica == null ? MemorySegment.NULL : replica.segment();
    }

    /// The rkey of the part for peers; 0 if the part is empty.
    int remoteKey() {
        return registration == null ? 0 : registration.region().remoteKey();
    }

    /// The address of the part for peers; 0 if the part is empty.
    long address() {
        return part.address();
    }

    /// Copies one row of the part or of the replica. The caller must hold this object.
    void copy(long row, MemorySegment to, long offset) {
        if (range.contains(row)) {
            MemorySegment.copy(part, (row - range.first()) * rowBytes, to, offset, rowBytes);
        } else {
            MemorySegment.copy(replica(), (row - replicated.first()) * rowBytes, to, offset, rowBytes);
        }
    }

    /// Adds a holder; there must be at least one already.
    void hold() {
        holds.incrementAndGet();
    }

    void letGo() {
        if (holds.decrementAndGet() == 0) {
            workers.execute(this::free);
        }
    }

    private void free() {
        if (registration != null) {
            registration.close();
        }
        if (replica != null) {
            replica.close();
        }
        try {
            arena.close();
        } catch (IllegalStateException e) {
            LOG.error("the rows of a partitioned tensor are still in use, their {} bytes are lost", part.byteSize(), e);
        }
        onFree.run();
    }
}
