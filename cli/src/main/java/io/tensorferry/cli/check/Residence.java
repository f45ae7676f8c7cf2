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

/// Where one end of a check has its tensors, those that it sends and those that it receives: in host memory, or on a
/// GPU. Each end decides that for itself, and the keys say nothing of it.
///
/// Threading: one thread.
final class Residence {
    private final TransportServer server;
    private final @Nullable Accelerator gpu;
    private final TensorAllocator allocator;
    private final @Nullable AcceleratorStatistics before;

    /// @param gpu one of the server's; null for host memory
    Residence(TransportServer server, @Nullable Accelerator gpu) {
        this.server = server;
        this.gpu = gpu;
        this.allocator = gpu == null ? server.allocator() : server.allocator(gpu);
        this.before = statistics();
    }

    /// For people, as `GPU:0 (NVIDIA H200, 0000:1b:00.0)`; null for host memory.
    @Nullable
    String gpu() {
        return gpu == null ? null : nameOf(gpu);
    }

    static String nameOf(Accelerator gpu) {
        return gpu + " (" + gpu.description() + ")";
    }

    /// A tensor that holds the pattern of `seed`.
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

    /// Of tensors of this size that this end has; the caller closes it.
    Contents contents(long bytes) {
        return Contents.open(allocator.device(), bytes);
    }

    /// Receives and waits. The caller owns the tensor.
    ///
    /// @param patience how long it waits at most
    /// @throws TransportException what ended the receive
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

    /// How the tensors of this end went, since this was made; null for host memory. Of a server with several callers
    /// at a time it is how the tensors of all of them went.
    ///
    /// @param items that went in each direction, all of them
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

    /// Of the one GPU that a server of a check has.
    private @Nullable AcceleratorStatistics statistics() {
        return gpu == null ? null : server.statistics().accelerators().getFirst();
    }
}
