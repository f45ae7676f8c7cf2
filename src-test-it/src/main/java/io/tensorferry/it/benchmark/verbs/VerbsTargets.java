package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.Comparison;
import io.tensorferry.it.benchmark.PathSeries;
import io.tensorferry.it.benchmark.Spread;
import io.tensorferry.it.benchmark.Target;
import io.tensorferry.it.benchmark.Turn;
import io.tensorferry.it.benchmark.contest.TwoProcessPath;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// The targets of this library relative to C on one device.
final class VerbsTargets {
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;
    private static final int MEDIAN = 50;

    private static final Target RAW_THROUGHPUT = Target.atLeast(0.97, "throughput, raw write / ib_write_bw");
    private static final Target TENSOR_THROUGHPUT = Target.atLeast(0.95, "throughput, recvAsync / ib_write_bw");
    private static final Target RAW_LATENCY = Target.atMost(1.15, "p50 latency, raw write / ib_write_lat");
    private static final Target TENSOR_LATENCY = Target.atMost(
            1.30, "p50 latency, one recvAsync / (ib_write_lat of its request + ib_write_lat of its content)");
    private static final Target EDGE_LATENCY = Target.atMost(
            1.15,
            "p50 latency, one tensor of a static edge, asked for by an empty one / (ib_write_lat of a request + "
                    + "ib_write_lat of its content)");

    private VerbsTargets() {}

    static List<Target.Verdict> verdicts(List<Turn> turns) {
        var verdicts = new ArrayList<Target.Verdict>();
        for (Comparison each : Turn.comparisons(turns)) {
            long bytes = each.path().size().bytes();
            String at = each.path().size() + " (" + each.path().path().name() + ")";
            boolean write = VerbsName.of(each.base().path().name()).plain().equals(VerbsName.C_WRITE);
            boolean raw = each.path().path() instanceof RawPath;
            if (write && raw && bytes >= 64 * KIB) {
                verdicts.add(RAW_THROUGHPUT.verdict(at, each.throughput()));
            }
            if (write && raw && onOneLane(each.path()) && (bytes == 8 || bytes == 4 * KIB)) {
                verdicts.add(RAW_LATENCY.verdict(at, each.latency(MEDIAN)));
            }
            if (write && isReceive(each.path()) && onOneLane(each.path()) && bytes == MIB) {
                verdicts.add(TENSOR_THROUGHPUT.verdict(at, each.throughput()));
            }
        }
        for (Turn turn : turns) {
            for (PathSeries each : turn.series()) {
                if (each.path() instanceof TwoProcessPath
                        && onOneLane(each)
                        && (isReceive(each) || isStaticEdge(each))) {
                    tensorLatency(turn, each).ifPresent(verdicts::add);
                }
            }
        }
        return verdicts;
    }

    private static boolean isStaticEdge(PathSeries series) {
        return VerbsName.STATIC_EDGES.contains(
                VerbsName.of(series.path().name()).plain());
    }

    private static boolean isReceive(PathSeries series) {
        return VerbsName.RECEIVES.contains(VerbsName.of(series.path().name()).plain());
    }

    private static boolean onOneLane(PathSeries series) {
        return VerbsName.of(series.path().name()).queues().equals(Queues.ONE);
    }

    /// The verdict for a turn in which C has also written messages of a request's size.
    private static Optional<Target.Verdict> tensorLatency(Turn turn, PathSeries tensor) {
        Optional<PathSeries> request = named(turn, VerbsPaths.C_REQUEST);
        Optional<PathSeries> content = named(turn, VerbsName.C_WRITE);
        if (request.isEmpty() || content.isEmpty()) {
            return Optional.empty();
        }
        Spread ratio = Spread.of(IntStream.range(0, tensor.latency().size())
                .mapToObj(round -> p50(tensor, round) / (p50(request.get(), round) + p50(content.get(), round)))
                .toList());
        Target target = isStaticEdge(tensor) ? EDGE_LATENCY : TENSOR_LATENCY;
        return Optional.of(target.verdict(
                tensor.size() + " (" + tensor.path().name() + "), request of "
                        + request.get().size(),
                ratio));
    }

    private static double p50(PathSeries series, int round) {
        return series.latency().get(round).latencyMicros(MEDIAN);
    }

    private static Optional<PathSeries> named(Turn turn, String path) {
        return turn.series().stream()
                .filter(each -> each.path().name().equals(path))
                .findFirst();
    }
}
