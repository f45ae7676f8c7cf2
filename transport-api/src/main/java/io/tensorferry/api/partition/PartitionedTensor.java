package io.tensorferry.api.partition;

import io.tensorferry.api.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/// A matrix whose rows are partitioned over several workers; any worker gathers rows, in any order, by RDMA READ,
/// without involving the owner's processor. Suited to lookups by row number, such as the features of graph nodes or the
/// entries of an embedding table.
///
/// ```java
/// var spec = PartitionedTensorSpec.of("features", DataType.FLOAT, 512, RowPartition.even(nodes, workers));
/// try (PartitionedTensor features = server.openPartitioned(spec)) {
///     load(features.localRange(), features.localRows());
///     features.publish();
///     Tensor out = server.allocator().allocate(DataType.FLOAT, Shape.of(ids.length, 512));
///     features.gather(ids, out).done().join();
/// }
/// ```
///
/// Each worker, including a worker without rows, opens the tensor with an equal specification, in any order. If a
/// channel is lost, gathers resume over the next channel to the same process.
///
/// After quiver-feature's `DistTensorPGAS`.
///
/// Threading: any thread.
public interface PartitionedTensor extends AutoCloseable {
    /// The specification that this worker opened the tensor with.
    PartitionedTensorSpec spec();

    /// The rows that this worker owns; may be empty.
    RowRange localRange();

    /// The memory of the rows in [#localRange()], row-major, initially zero.
    ///
    /// The application writes the rows, then calls [#publish()]. If it changes a row later, concurrent readers may
    /// observe a partial change. Do not use the memory after the tensor is closed.
    MemorySegment localRows();

    /// Publishes this worker's rows: peers may read them from now on. Gathers of peers wait until then. The second and
    /// later calls do nothing.
    void publish();

    /// The memory of this worker's replica of other rows, row-major; empty if the specification has no `replicated`
    /// range.
    ///
    /// The application fills it by any means, including a [#gather] of these rows, then calls [#useReplica()]. Do not
    /// use the memory after the tensor is closed.
    MemorySegment replicatedRows();

    /// Enables the replica: this worker's gathers copy rows of the specification's `replicated` range from
    /// [#replicatedRows()] instead of reading them from their owners.
    ///
    /// Fill the replica first; its content is not checked. Gathers that begin after this call use the replica, and
    /// running gathers may use it for their remaining rows. It cannot be disabled. Has no effect if the specification
    /// has no `replicated` range.
    void useReplica();

    /// Completes when every other worker that owns rows has published them and this worker may read them.
    ///
    /// Fails with a [io.tensorferry.api.TransportException] if such a worker cannot be reached or refuses access. A
    /// gather retries a worker that could not be reached. Dependent stages run on the callback executor.
    CompletableFuture<Void> ready();

    /// Reads rows into `out`, in the order of `ids`. Returns at once.
    ///
    /// Rows of this worker and of its replica are copied without the network. The gather waits for workers that have
    /// not yet opened or published the tensor. Its memory use besides `out` is bounded, regardless of the number of
    /// rows.
    ///
    /// @param ids the rows, in any order, repetitions allowed; must not change until the gather is done
    /// @param out shape `[ids.length, columns]`. The device writes it directly if its memory is registered with the
    ///     transport or comes from the transport's allocator; otherwise rows are copied into it. The gather keeps the
    ///     memory alive; nothing else may write it meanwhile
    /// @param options options for the RDMA READs
    /// @param progress receives progress reports
    /// @return a handle on the running gather
    /// @throws IllegalArgumentException if an id is not a row, naming the first such id and its position; or if `out`
    ///     has another type or shape, or is read-only. Nothing is read in these cases
    /// @throws IllegalStateException if the tensor or `out` is closed
    /// @throws UnsupportedOperationException if the processor cannot access the memory of `out`
    Gather gather(long[] ids, Tensor out, GatherOptions options, GatherProgress progress);

    /// Reads rows into `out` without progress reports.
    default Gather gather(long[] ids, Tensor out, GatherOptions options) {
        return gather(ids, out, options, (_, _) -> {});
    }

    /// Reads rows into `out` with the default options and without progress reports.
    default Gather gather(long[] ids, Tensor out) {
        return gather(ids, out, GatherOptions.defaults());
    }

    /// Closes this worker's end: this worker's gathers fail, and so do gathers of peers that read its rows. Returns at
    /// once. The memory is released when no peer can read it any more. The second and later calls do nothing.
    @Override
    void close();

    /// Completes when this end is closed and its memory has been released. It never completes if a device can neither
    /// stop nor destroy a queue pair.
    CompletableFuture<Void> ended();
}
