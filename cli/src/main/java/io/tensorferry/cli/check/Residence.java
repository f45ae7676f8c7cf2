package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DataType;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/// The location of one end's tensors, sent and received: host memory or a GPU. Each end chooses independently, and keys
/// do not contain the location.
///
/// Threading: one thread.
final class Residence {
    private final TransportServer server;
    private final @Nullable Accelerator gpu;
    private final TensorAllocator allocator;
    private final @Nullable AcceleratorStatistics before;

    /// @param gpu a GPU of the server; null for host memory
    Residence(TransportServer server, @Nullable Accelerator gpu) {
        this.server = server;
        this.gpu = gpu;
        this.allocator = gpu == null ? server.allocator() : server.allocator(gpu);
        this.before = statistics();
    }

    /// A description for people, for example `GPU:0 (NVIDIA H200, 0000:1b:00.0)`; null for host memory.
    @Nullable
    String gpu() {
        return gpu == null ? null : nameOf(gpu);
    }

    static String nameOf(Accelerator gpu) {
        return gpu + " (" + gpu.description() + ")";
    }

    /// Creates a tensor with the pattern of `seed`.
    Tensor make(long bytes, int seed) {
        Tensor tensor = allocator.allocate(DataType.UINT8, Shape.of(bytes));
        try (Contents contents = contents(bytes)) {
            contents.fill(tensor, seed);
            return tensor;
        } catch (RuntimeException e) {
            tensor.close();
            throw e;
        }
    }

    /// Opens access to this end's tensors of this size; the caller closes it.
    Contents contents(long bytes) {
        return Contents.open(allocator.device(), bytes);
    }

    /// Receives a tensor and waits for it. The caller owns the tensor.
    ///
    /// @param patience the maximum wait
    /// @throws TransportException the failure of the receive
    Tensor receive(Rendezvous rendezvous, RendezvousKey key, Duration patience) throws InterruptedException {
        ReceiveOptions options = ReceiveOptions.defaults().withTimeout(patience);
        CompletableFuture<RecvResult> future =
                rendezvous.recvAsync(key, gpu == null ? options : options.into(allocator));
        try {
            return future.get().tensorOrThrow();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof TransportException cause
                    ? cause
                    : new TransportException(StatusCode.INTERNAL, "the receive of " + key + " failed", e.getCause());
        } catch (InterruptedException e) {
            if (!future.cancel(false)) {
                var _ = future.thenAccept(result -> result.tensorOrThrow().close());
            }
            throw e;
        }
    }

    /// The paths of this end's tensors since this object was created; null for host memory. On a server with several
    /// concurrent callers, the result covers the tensors of all of them.
    ///
    /// @param items the tensors sent in each direction
    @Nullable
    GpuPaths paths(List<Plan.Item> items) {
        AcceleratorStatistics first = before;
        AcceleratorStatistics now = statistics();
        if (first == null || now == null) {
            return null;
        }
        return new GpuPaths(
                now.device(),
                now.direct(),
                items.stream().mapToLong(Plan.Item::allBytes).sum(),
                now.bytesToHost() - first.bytesToHost(),
                now.bytesFromHost() - first.bytesFromHost());
    }

    /// The statistics of the only GPU that a check's server has.
    private @Nullable AcceleratorStatistics statistics() {
        return gpu == null ? null : server.statistics().accelerators().getFirst();
    }
}
