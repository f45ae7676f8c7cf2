package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.Comparison;
import io.tensorferry.it.benchmark.PathSeries;
import io.tensorferry.it.benchmark.Spread;
import io.tensorferry.it.benchmark.Target;
import io.tensorferry.it.benchmark.Turn;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/// What this library is to be beside C on one device.
final class VerbsTargets {
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;
    private static final int MEDIAN = 50;

    private static final Target RAW_THROUGHPUT = Target.atLeast(0.97, "throughput, raw write / ib_write_bw");
    private static final Target TENSOR_THROUGHPUT = Target.atLeast(0.95, "throughput, recvAsync / ib_write_bw");
    private static final Target RAW_LATENCY = Target.atMost(1.15, "p50 latency, raw write / ib_write_lat");
    private static final Target TENSOR_LATENCY = Target.atMost(
            1.30, "p50 latency, one recvAsync / (ib_write_lat of its request + ib_write_lat of its content)");

    private VerbsTargets() {}

    static List<Target.Verdict> verdicts(List<Turn> turns) {
        var verdicts = new ArrayList<Target.Verdict>();
        for (Comparison each : Turn.comparisons(turns)) {
            long bytes = each.path().size().bytes();
            String path = each.path().path().name();
            String at = each.path().size() + " (" + path + ")";
            if (Queues.plain(path).equals(VerbsPaths.RAW_WRITE)) {
                if (bytes >= 64 * KIB) {
                    verdicts.add(RAW_THROUGHPUT.verdict(at, each.throughput()));
                }
                if (path.equals(VerbsPaths.RAW_WRITE) && (bytes == 8 || bytes == 4 * KIB)) {
                    verdicts.add(RAW_LATENCY.verdict(at, each.latency(MEDIAN)));
                }
            }
            if ((path.equals(VerbsPaths.TENSOR) || path.equals(VerbsPaths.BUSY_TENSOR)) && bytes == MIB) {
                verdicts.add(TENSOR_THROUGHPUT.verdict(at, each.throughput()));
            }
        }
        for (Turn turn : turns) {
            tensorLatency(turn, VerbsPaths.TENSOR).ifPresent(verdicts::add);
            tensorLatency(turn, VerbsPaths.BUSY_TENSOR).ifPresent(verdicts::add);
        }
        return verdicts;
    }

    /// Of the turn in which C has also written as much as a request has.
    private static Optional<Target.Verdict> tensorLatency(Turn turn, String path) {
        Optional<PathSeries> request = named(turn, VerbsPaths.C_REQUEST);
        Optional<PathSeries> content = named(turn, VerbsPaths.C_WRITE);
        Optional<PathSeries> tensor = named(turn, path);
        if (request.isEmpty() || content.isEmpty() || tensor.isEmpty()) {
            return Optional.empty();
        }
        Spread ratio = Spread.of(IntStream.range(0, tensor.get().latency().size())
                .mapToObj(round -> p50(tensor.get(), round) / (p50(request.get(), round) + p50(content.get(), round)))
                .toList());
        return Optional.of(TENSOR_LATENCY.verdict(
                tensor.get().size() + " (" + path + "), request of "
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
