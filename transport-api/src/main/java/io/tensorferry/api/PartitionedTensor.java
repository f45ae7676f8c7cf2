package io.tensorferry.api;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/// A matrix whose rows lie on several workers, each a range, and which any of them reads rows of, in any order,
/// by RDMA READ: whoever has a row does nothing for it. For rows that are looked up by number, such as the
/// features of the nodes of a graph or the entries of an embedding.
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
/// Each worker opens it with an equal specification, in any order, also one that has no rows. Where a channel is lost,
/// gathers go on over the next one to the same process.
///
/// After quiver-feature's `DistTensorPGAS`.
///
/// Threading: any thread.
public interface PartitionedTensor extends AutoCloseable {
    PartitionedTensorSpec spec();

    /// The rows that this worker has, perhaps none.
    RowRange localRange();

    /// The memory of [#localRange()], row-major, zero at first. Whoever opened the tensor writes it, then says
    /// [#publish()]. What is changed later, while others read, they may see changed in part. Not to be used once the
    /// tensor is closed.
    MemorySegment localRows();

    /// The rows of this worker are written: from now on peers may read them. Their gathers wait until then. The second
    /// and later calls do nothing.
    void publish();

    /// The memory of the rows that this worker keeps a copy of, row-major; empty where the specification names none. It
    /// is filled as the caller likes, also by a [#gather] of these rows, then [#useReplica()] says so.
    MemorySegment replicatedRows();

    /// The copy is filled: gathers that begin from now on take its rows from there.
    void useReplica();

    /// Completes when every other worker that has rows has published them and this worker may read them. Fails with a
    /// [TransportException] if one cannot be reached, or refuses; a gather tries again where it could not be reached.
    /// Dependent stages run on the callback executor.
    CompletableFuture<Void> ready();

    /// Has rows written into `out`, in the order of `ids`. Returns at once; rows of this worker and of its copy come
    /// without the network. Waits for workers that have not opened or not published the tensor yet.
    ///
    /// Memory that it uses beside `out` is bounded, however many rows are asked for.
    ///
    /// @param ids rows, in any order, also the same more than once; not to be changed until the gather is done
    /// @param out of shape `[ids.length, columns]`. Without a copy, if its memory is the transport's, from its
    ///     allocator or registered; the gather keeps it alive, and nobody else writes it meanwhile
    /// @throws IllegalArgumentException naming the first id that is no row and its position, before anything is read;
    ///     or if `out` is of another type or shape, or read-only
    /// @throws IllegalStateException if the tensor is closed
    Gather gather(long[] ids, Tensor out, GatherOptions options, GatherProgress progress);

    /// The same, without being told how far it is.
    default Gather gather(long[] ids, Tensor out, GatherOptions options) {
        return gather(ids, out, options, (_, _) -> {});
    }

    /// The same as fast as it goes.
    default Gather gather(long[] ids, Tensor out) {
        return gather(ids, out, GatherOptions.defaults());
    }

    /// Ends this worker's end: gathers of this worker fail, those of peers that read its rows too. Returns at once; the
    /// memory goes back when nobody can read it any more. The second and later calls do nothing.
    @Override
    void close();

    /// Completes when this end is closed and its memory has been given back. It never does where a device neither
    /// stops nor destroys a queue pair.
    CompletableFuture<Void> ended();
}
