package io.tensorferry.it.benchmark.contest;

import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.benchmark.edge.ContentEdge;
import io.tensorferry.it.benchmark.edge.EdgeConsumer;
import io.tensorferry.it.benchmark.edge.EdgeProducer;
import io.tensorferry.it.benchmark.exchange.ConsumerPath;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import io.tensorferry.it.benchmark.exchange.TensorProducer;
import io.tensorferry.it.benchmark.flight.FlightTensorConsumer;
import io.tensorferry.it.benchmark.flight.FlightTensorProducer;
import io.tensorferry.it.benchmark.gather.RowConsumer;
import io.tensorferry.it.benchmark.gather.RowProducer;
import io.tensorferry.it.benchmark.gpu.CopiesConsumer;
import io.tensorferry.it.benchmark.gpu.CopiesProducer;
import io.tensorferry.it.benchmark.grpc.GrpcConsumer;
import io.tensorferry.it.benchmark.grpc.GrpcProducer;
import io.tensorferry.it.benchmark.grpc.GrpcStreamConsumer;
import io.tensorferry.it.benchmark.limit.MemcpyConsumer;
import io.tensorferry.it.benchmark.limit.MemcpyProducer;
import io.tensorferry.it.benchmark.limit.SocketConsumer;
import io.tensorferry.it.benchmark.limit.SocketProducer;
import io.tensorferry.it.benchmark.rendezvous.Knobs;
import io.tensorferry.it.benchmark.rendezvous.RendezvousConsumer;
import io.tensorferry.it.benchmark.rendezvous.RendezvousProducer;
import io.tensorferry.it.benchmark.rendezvous.Variant;
import io.tensorferry.it.benchmark.ucx.UcxConsumer;
import io.tensorferry.it.benchmark.ucx.UcxLibrary;
import io.tensorferry.it.benchmark.ucx.UcxProducer;
import io.tensorferry.it.process.ChildJvm;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The available paths, by name, for every process of the benchmark.
public enum Contender {
    VERBS(Variant.VERBS.path()),
    WINDOWS(Variant.WINDOWS.path()),
    BUSY(Variant.BUSY.path()),
    VERBS_TCP(Variant.TCP.path()),
    /// Between accelerators; and the accelerators' copies alone, as a limit.
    GPU(Variant.GPU.path()),
    GPU_COPIES("gpu-copies"),
    /// Over static edges; and with loops that never sleep.
    STATIC("grpc+verbs@static"),
    BUSY_STATIC("grpc+verbs@static:busy"),
    /// Over dynamic edges; and with loops that never sleep.
    DYNAMIC("grpc+verbs@dynamic"),
    BUSY_DYNAMIC("grpc+verbs@dynamic:busy"),
    /// Rows of a partitioned tensor; and with loops that never sleep.
    GATHER("grpc+verbs@gather"),
    BUSY_GATHER("grpc+verbs@gather:busy"),
    OWN_GRPC(Variant.GRPC.path()),
    GRPC_UNARY("grpc-java"),
    GRPC_STREAM("grpc-java-stream"),
    FLIGHT("flight"),
    UCX_SHARED("ucx-shm"),
    UCX_TCP("ucx-tcp"),
    MEMCPY("memcpy"),
    SOCKET("socket");

    /// The number of ports of each path.
    static final int PORTS = 2;

    private static final String UCX_TRANSPORTS = "UCX_TLS";

    private final String path;

    Contender(String path) {
        this.path = path;
    }

    /// @throws IllegalArgumentException if no path has this name
    public static Contender of(String path) {
        return Arrays.stream(values())
                .filter(each -> each.path.equals(path))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("path '" + path + "' is unknown; the paths are "
                        + Arrays.stream(values()).map(Contender::path).toList()
                        + ", those of grpc+verbs also with knobs, as grpc+verbs@chunk=4MiB"));
    }

    /// The name on the command line and in the table.
    public String path() {
        return path;
    }

    /// Whether each of its processes occupies a processor even when idle, so that they must be suspended while other
    /// paths are measured.
    boolean neverRests() {
        return this == BUSY || this == BUSY_STATIC || this == BUSY_DYNAMIC || this == BUSY_GATHER;
    }

    /// Whether its name may set knobs of the transport.
    boolean hasKnobs() {
        return switch (this) {
            case VERBS,
                    WINDOWS,
                    BUSY,
                    VERBS_TCP,
                    GPU,
                    STATIC,
                    BUSY_STATIC,
                    DYNAMIC,
                    BUSY_DYNAMIC,
                    GATHER,
                    BUSY_GATHER -> true;
            case GPU_COPIES, OWN_GRPC, GRPC_UNARY, GRPC_STREAM, FLIGHT, UCX_SHARED, UCX_TCP, MEMCPY, SOCKET -> false;
        };
    }

    /// Whether it is measured only if named explicitly, because it does not represent the default behaviour of one
    /// host.
    boolean isNamedOnly() {
        return this == WINDOWS || hasAccelerators();
    }

    /// Whether its tensors are on an accelerator.
    boolean hasAccelerators() {
        return this == GPU || this == GPU_COPIES;
    }

    /// Whether its transfers are rows of a gather.
    boolean gathers() {
        return this == GATHER || this == BUSY_GATHER;
    }

    /// The reason why this path cannot run on this machine; null if it can.
    @Nullable
    String missing() {
        return switch (this) {
            case UCX_SHARED, UCX_TCP -> UcxLibrary.missing();
            default -> null;
        };
    }

    /// Adds the settings that only this path's processes need.
    ChildJvm.Builder prepare(ChildJvm.Builder child) {
        return switch (this) {
            case UCX_SHARED -> child.environment(UCX_TRANSPORTS, "posix,sysv,cma,self");
            case UCX_TCP -> child.environment(UCX_TRANSPORTS, "tcp,self");
            // Required by Arrow.
            case FLIGHT -> child.jvmArguments("--add-opens=java.base/java.nio=ALL-UNNAMED");
            default -> child;
        };
    }

    /// Opens the producer's end in this process. The consumer's end is opened after it.
    TensorProducer produce(Knobs knobs, List<Integer> ports) throws IOException {
        int port = ports.getFirst();
        return switch (this) {
            case VERBS -> RendezvousProducer.open(Variant.VERBS, knobs, ports);
            case WINDOWS -> RendezvousProducer.open(Variant.WINDOWS, knobs, ports);
            case BUSY -> RendezvousProducer.open(Variant.BUSY, knobs, ports);
            case VERBS_TCP -> RendezvousProducer.open(Variant.TCP, knobs, ports);
            case GPU -> RendezvousProducer.open(Variant.GPU, knobs, ports);
            case GPU_COPIES -> new CopiesProducer();
            case STATIC -> EdgeProducer.open(ContentEdge.STATIC, Variant.VERBS, knobs, ports);
            case BUSY_STATIC -> EdgeProducer.open(ContentEdge.STATIC, Variant.BUSY, knobs, ports);
            case DYNAMIC -> EdgeProducer.open(ContentEdge.DYNAMIC, Variant.VERBS, knobs, ports);
            case BUSY_DYNAMIC -> EdgeProducer.open(ContentEdge.DYNAMIC, Variant.BUSY, knobs, ports);
            case GATHER -> RowProducer.open(Variant.VERBS, knobs, ports);
            case BUSY_GATHER -> RowProducer.open(Variant.BUSY, knobs, ports);
            case OWN_GRPC -> RendezvousProducer.open(Variant.GRPC, knobs, ports);
            case GRPC_UNARY, GRPC_STREAM -> new GrpcProducer(port);
            case FLIGHT -> new FlightTensorProducer(port);
            case UCX_SHARED, UCX_TCP -> new UcxProducer(port);
            case MEMCPY -> new MemcpyProducer(port);
            case SOCKET -> new SocketProducer(port);
        };
    }

    /// Opens the consumer's end in this process; returns when it has reached the producer's end, or can reach it.
    ///
    /// @param name the name of the path
    TransferPath open(String name, Knobs knobs, List<Integer> ports) throws IOException, InterruptedException {
        return switch (this) {
            case GATHER -> RowConsumer.open(name, Variant.VERBS, knobs, ports);
            case BUSY_GATHER -> RowConsumer.open(name, Variant.BUSY, knobs, ports);
            default -> new ConsumerPath(name, consume(knobs, ports));
        };
    }

    private TensorConsumer consume(Knobs knobs, List<Integer> ports) throws IOException, InterruptedException {
        int port = ports.getFirst();
        return switch (this) {
            case VERBS -> RendezvousConsumer.open(Variant.VERBS, knobs, ports);
            case WINDOWS -> RendezvousConsumer.open(Variant.WINDOWS, knobs, ports);
            case BUSY -> RendezvousConsumer.open(Variant.BUSY, knobs, ports);
            case VERBS_TCP -> RendezvousConsumer.open(Variant.TCP, knobs, ports);
            case GPU -> RendezvousConsumer.open(Variant.GPU, knobs, ports);
            case GPU_COPIES -> new CopiesConsumer();
            case STATIC -> EdgeConsumer.open(ContentEdge.STATIC, Variant.VERBS, knobs, ports);
            case BUSY_STATIC -> EdgeConsumer.open(ContentEdge.STATIC, Variant.BUSY, knobs, ports);
            case DYNAMIC -> EdgeConsumer.open(ContentEdge.DYNAMIC, Variant.VERBS, knobs, ports);
            case BUSY_DYNAMIC -> EdgeConsumer.open(ContentEdge.DYNAMIC, Variant.BUSY, knobs, ports);
            case GATHER, BUSY_GATHER -> throw new IllegalStateException(this + " does not receive tensors");
            case OWN_GRPC -> RendezvousConsumer.open(Variant.GRPC, knobs, ports);
            case GRPC_UNARY -> new GrpcConsumer(port);
            case GRPC_STREAM -> new GrpcStreamConsumer(port);
            case FLIGHT -> new FlightTensorConsumer(port);
            case UCX_SHARED, UCX_TCP -> new UcxConsumer(port);
            case MEMCPY -> new MemcpyConsumer(port);
            case SOCKET -> new SocketConsumer(port);
        };
    }
}
