package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.ByteSize;
import io.tensorferry.it.benchmark.Comparison;
import io.tensorferry.it.benchmark.PathSeries;
import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.benchmark.Turn;
import io.tensorferry.it.benchmark.contest.Contender;
import io.tensorferry.it.benchmark.contest.TwoProcessPath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/// The paths there are, by name, and the processes behind those that were opened. For one thread.
final class VerbsPaths implements AutoCloseable {
    static final String C_WRITE = "ib_write";
    static final String RAW_WRITE = "raw-write";
    static final String TENSOR = "recvAsync";
    static final String C_READ = "ib_read";
    static final String RAW_READ = "raw-read";
    static final List<String> NAMES = List.of(C_WRITE, RAW_WRITE, TENSOR, C_READ, RAW_READ);

    /// What is compared with what.
    private static final Map<String, String> BASES = Map.of(RAW_WRITE, C_WRITE, TENSOR, C_WRITE, RAW_READ, C_READ);

    private final Places places;
    private final RawPair pair;
    private final List<TransferPath> paths = new ArrayList<>();

    private VerbsPaths(Places places, RawPair pair) {
        this.places = places;
        this.pair = pair;
    }

    /// Starts the processes and warms them up.
    ///
    /// @param names of the paths, in the order in which they are measured
    /// @param mostBytes the longest message
    /// @param compileSeconds of warm-up, twice for each path of Java
    static VerbsPaths open(List<String> names, long mostBytes, double compileSeconds) throws InterruptedException {
        var places = Places.fromProperties();
        var opened = new VerbsPaths(places, RawPair.start(places, mostBytes));
        try {
            for (String name : names) {
                TransferPath path = opened.path(name);
                opened.paths.add(path);
                if (!(path instanceof PerftestPath)) {
                    PathSeries.compile(path, compileSeconds);
                }
            }
            return opened;
        } catch (RuntimeException | InterruptedException e) {
            opened.close();
            throw e;
        }
    }

    private TransferPath path(String name) throws InterruptedException {
        return switch (name) {
            case C_WRITE -> new PerftestPath(name, places, pair.address(), Operation.WRITE);
            case C_READ -> new PerftestPath(name, places, pair.address(), Operation.READ);
            case RAW_WRITE -> new RawPath(name, pair, Operation.WRITE);
            case RAW_READ -> new RawPath(name, pair, Operation.READ);
            case TENSOR -> TwoProcessPath.start(name, Contender.VERBS, places::atSource, places::atTarget);
            default -> throw new IllegalArgumentException("path '" + name + "' is unknown; the paths are " + NAMES);
        };
    }

    /// What a reader of the results must know of how they came about.
    Map<String, String> setting() {
        RawAddress address = pair.address();
        var setting = new LinkedHashMap<String, String>();
        setting.put(
                "device",
                address.device() + " port " + address.port() + ", GID index " + address.gidIndex() + ", MTU "
                        + address.mtu());
        setting.put("queue pair timeout", Integer.toString(places.timeout()));
        return setting;
    }

    /// One series for each path, warmed up. A C program, which needs no warm-up, moves as many messages as the path
    /// that is compared with it.
    Turn turn(ByteSize size, double seconds) throws InterruptedException {
        Map<String, PathSeries> series = paths.stream()
                .map(path -> new PathSeries(path, size))
                .collect(Collectors.toMap(
                        each -> each.path().name(), Function.identity(), (one, _) -> one, LinkedHashMap::new));
        for (PathSeries each : series.values()) {
            if (!(each.path() instanceof PerftestPath)) {
                each.path().verify(size.bytes());
                each.warmUp(seconds);
            }
        }
        adoptCounts(series, C_WRITE, RAW_WRITE, seconds);
        adoptCounts(series, C_READ, RAW_READ, seconds);
        var comparisons = new ArrayList<Comparison>();
        for (PathSeries each : series.values()) {
            // C_* has no base itself.
            PathSeries base = series.get(BASES.getOrDefault(each.path().name(), ""));
            if (base != null) {
                comparisons.add(new Comparison(each, base));
            }
        }
        return new Turn(List.copyOf(series.values()), comparisons);
    }

    private static void adoptCounts(Map<String, PathSeries> series, String name, String leader, double seconds)
            throws InterruptedException {
        PathSeries follower = series.get(name);
        if (follower == null) {
            return;
        }
        PathSeries leading = series.get(leader);
        if (leading == null) {
            follower.warmUp(seconds);
        } else {
            follower.countAs(leading);
        }
    }

    @Override
    public void close() {
        paths.forEach(TransferPath::close);
        pair.close();
    }
}
