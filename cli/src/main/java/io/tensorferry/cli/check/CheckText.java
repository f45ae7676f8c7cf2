package io.tensorferry.cli.check;

import io.tensorferry.cli.console.ByteSize;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.verbs.device.QueuePairAddress;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Prints a check for people, each step as it completes.
final class CheckText implements CheckOutput {
    private static final String ROW = "  %-10s %10s %10s %10s %10s %14s";

    private static final String HOST = "host memory";

    private final PrintWriter out;

    CheckText(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void connected(WorkerAddress target, InetAddress own, long tookNs) {
        line(target + " answers by TCP in " + Quantity.duration(tookNs) + "; this end is " + own.getHostAddress());
    }

    @Override
    public void channel(ChannelDescription channel, long tookNs) {
        line("channel set up in " + Quantity.duration(tookNs) + "; this end <-> other end:");
        QueuePairAddress own = channel.queuePairs().getFirst();
        QueuePairAddress other = channel.peerQueuePairs().getFirst();
        field("GID", own.gid() + " <-> " + other.gid());
        field("LID", own.lid() + " <-> " + other.lid());
        field("queue pairs", numbers(channel.queuePairs()) + " <-> " + numbers(channel.peerQueuePairs()));
        field("lanes", channel.lanes());
        field("MTU", channel.mtu());
        field("ring", channel.ringSlots() + " slots of " + channel.slotBytes() + " bytes in each direction");
        field(
                "depth",
                channel.receiveDepth() + " contents under way on a lane; " + channel.sendDepth()
                        + " work requests of this end on a queue pair");
        field("largest write", new ByteSize(channel.maxWriteBytes()));
        field("device", channel.device() + " port " + channel.port());
    }

    private static String numbers(List<QueuePairAddress> queuePairs) {
        return queuePairs.stream()
                .map(pair -> String.valueOf(pair.queuePairNumber()))
                .collect(Collectors.joining(", "));
    }

    @Override
    public void answer(Answer answer, String way, @Nullable String gpu) {
        field("other's device", answer.device() + " port " + answer.port() + " (tensorferry " + answer.version() + ")");
        if (!way.isEmpty()) {
            field("way", way + " <-> " + answer.way());
        }
        if (gpu != null || answer.gpu() != null) {
            field(
                    "tensors on",
                    Objects.requireNonNullElse(gpu, HOST) + " <-> " + Objects.requireNonNullElse(answer.gpu(), HOST));
        }
    }

    @Override
    public void received(List<Timing> timings) {
        table("from the other end", timings);
    }

    @Override
    public void sent(List<Timing> timings) {
        table("to the other end", timings);
    }

    private void table(String direction, List<Timing> timings) {
        line("tensors " + direction + ", time from the request to the content:");
        line(ROW.formatted("size", "first", "best", "median", "99 %", "rate"));
        for (Timing timing : timings) {
            line(ROW.formatted(
                    new ByteSize(timing.bytes()),
                    Quantity.duration(timing.firstNs()),
                    Quantity.duration(timing.bestNs()),
                    Quantity.duration(timing.medianNs()),
                    Quantity.duration(timing.p99Ns()),
                    Quantity.rate(timing.bytesPerSecond())));
        }
    }

    @Override
    public void gpus(@Nullable GpuPaths own, @Nullable GpuPaths other) {
        gpu("this end", own);
        gpu("the other end", other);
    }

    private void gpu(String end, @Nullable GpuPaths paths) {
        if (paths != null) {
            line("tensors on " + paths.device() + " of " + end + " went:");
            field("sent", "by " + paths.sent());
            field("received", "by " + paths.received());
            field("GPUDirect", paths.direct());
        }
    }

    @Override
    public void failed(String why) {
        // The failure is reported on standard error.
    }

    @Override
    public void end() {
        out.flush();
    }

    private void field(String name, Object value) {
        line("  %-15s ".formatted(name) + value);
    }

    private void line(String text) {
        out.println(text);
        out.flush();
    }
}
