package io.tensorferry.it.benchmark.contest;

import io.tensorferry.it.benchmark.Comparison;
import io.tensorferry.it.benchmark.PathSeries;
import io.tensorferry.it.benchmark.Target;
import io.tensorferry.it.benchmark.Turn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// The targets of `grpc+verbs` relative to other paths on one host.
final class TransferTargets {
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;

    private static final Target MEMCPY = Target.atLeast(0.80, "throughput, grpc+verbs on soft0 / memcpy limit");
    private static final Target GRPC = Target.atLeast(8, "throughput, grpc+verbs on soft0 / grpc-java");
    private static final Target UCX = Target.atLeast(1, "throughput, grpc+verbs on soft0 / UCX in shared memory");
    private static final Target SOCKET = Target.atLeast(0.85, "throughput, grpc+verbs over TCP / bare SocketChannel");
    private static final Target GRPC_LATENCY = Target.atMost(0.2, "p50 latency, grpc+verbs on soft0 / grpc-java");

    private static final Map<Contender, List<String>> COMPARED = Map.of(
            Contender.VERBS_TCP, List.of(Contender.SOCKET.path()),
            Contender.BUSY,
                    List.of(
                            Contender.MEMCPY.path(),
                            Contender.GRPC_UNARY.path(),
                            Contender.GRPC_STREAM.path(),
                            Contender.UCX_SHARED.path()));

    private TransferTargets() {}

    /// The comparisons to make in addition to the first path with each other one.
    static Map<String, List<String>> compared(List<Entrant> entrants) {
        var compared = new HashMap<String, List<String>>();
        for (Entrant each : entrants) {
            compared.put(each.name(), COMPARED.getOrDefault(each.contender(), List.of()));
        }
        return compared;
    }

    static List<Target.Verdict> verdicts(List<Turn> turns) {
        var verdicts = new ArrayList<Target.Verdict>();
        for (Comparison each : Turn.comparisons(turns)) {
            Contender path = contender(each.path());
            if (path == Contender.VERBS || path == Contender.BUSY) {
                ofVerbs(each, verdicts);
            }
            boolean bothTcp = path == Contender.VERBS_TCP && contender(each.base()) == Contender.SOCKET;
            if (bothTcp && each.path().size().bytes() == MIB) {
                verdicts.add(SOCKET.verdict(at(each), each.throughput()));
            }
        }
        return verdicts;
    }

    private static Contender contender(PathSeries series) {
        return Entrant.of(series.path().name()).contender();
    }

    private static String at(Comparison comparison) {
        return comparison.path().size() + " (" + comparison.path().path().name() + " : "
                + comparison.base().path().name() + ")";
    }

    private static void ofVerbs(Comparison comparison, List<Target.Verdict> verdicts) {
        long bytes = comparison.path().size().bytes();
        String at = at(comparison);
        Contender base = contender(comparison.base());
        switch (base) {
            case MEMCPY -> {
                if (bytes == 16 * MIB) {
                    verdicts.add(MEMCPY.verdict(at, comparison.throughput()));
                }
            }
            case GRPC_UNARY, GRPC_STREAM -> {
                if (bytes >= MIB) {
                    verdicts.add(GRPC.verdict(at, comparison.throughput()));
                }
                if (bytes == 4 * KIB && base == Contender.GRPC_UNARY) {
                    verdicts.add(GRPC_LATENCY.verdict(at, comparison.latency(50)));
                }
            }
            case UCX_SHARED -> {
                if (bytes >= 64 * KIB) {
                    verdicts.add(UCX.verdict(at, comparison.throughput()));
                }
            }
            case VERBS,
                    WINDOWS,
                    BUSY,
                    VERBS_TCP,
                    GPU,
                    GPU_COPIES,
                    STATIC,
                    BUSY_STATIC,
                    DYNAMIC,
                    BUSY_DYNAMIC,
                    GATHER,
                    BUSY_GATHER,
                    OWN_GRPC,
                    FLIGHT,
                    UCX_TCP,
                    SOCKET -> {
                // No target.
            }
        }
    }
}
