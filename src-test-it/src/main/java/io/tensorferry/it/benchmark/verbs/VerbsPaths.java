package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.ByteSize;
import io.tensorferry.it.benchmark.Comparison;
import io.tensorferry.it.benchmark.PathSeries;
import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.benchmark.Turn;
import io.tensorferry.it.benchmark.contest.Entrant;
import io.tensorferry.it.benchmark.contest.TwoProcessPath;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The available paths by name, and the processes of the opened ones. For one thread.
final class VerbsPaths implements AutoCloseable {
    /// Writes of the size of a receive's request, measured where tensors of 4 KiB are received.
    static final String C_REQUEST = "ib_write-request";

    private static final long REQUESTED_BYTES = 4096;

    private final Places places;
    private final RawPair pair;
    private final ByteSize request;
    private final List<TransferPath> paths = new ArrayList<>();

    private VerbsPaths(Places places, RawPair pair, ByteSize request) {
        this.places = places;
        this.pair = pair;
        this.request = request;
    }

    /// Starts the processes and warms them up.
    ///
    /// @param names the names of the paths, in the order of measurement
    /// @param mostBytes the size of the longest message
    /// @param request the size of the request of a warm receive
    /// @param compileSeconds the duration of the warm-up, twice for each Java path
    static VerbsPaths open(List<VerbsName> names, long mostBytes, ByteSize request, double compileSeconds)
            throws InterruptedException {
        var places = Places.fromProperties();
        int lanes = names.stream().mapToInt(name -> name.queues().lanes()).max().orElse(1);
        var opened = new VerbsPaths(places, RawPair.start(places, mostBytes, lanes), request);
        try {
            for (VerbsName name : names) {
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

    private TransferPath path(VerbsName path) throws InterruptedException {
        String name = path.name();
        Entrant receiver = path.receiver();
        if (receiver != null) {
            return TwoProcessPath.start(name, receiver, places::atSource, places::atTarget);
        }
        return switch (path.plain()) {
            case VerbsName.C_WRITE -> new PerftestPath(name, places, pair.address(), Operation.WRITE, path.queues());
            case VerbsName.C_READ -> new PerftestPath(name, places, pair.address(), Operation.READ, path.queues());
            case VerbsName.RAW_WRITE -> new RawPath(name, pair, Operation.WRITE, path.queues());
            case VerbsName.RAW_IMMEDIATE -> new RawPath(name, pair, Operation.WRITE_WITH_IMMEDIATE, path.queues());
            case VerbsName.RAW_FLAG -> new RawPath(name, pair, Operation.WRITE_AND_FLAG, path.queues());
            case VerbsName.RAW_READ -> new RawPath(name, pair, Operation.READ, path.queues());
            default -> throw new IllegalArgumentException("path '" + name + "' is unknown");
        };
    }

    /// The properties of the measurement that a reader of the results must know.
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

    /// Creates one warmed-up series for each path. A C program needs no warm-up, and moves as many messages as the path
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
        for (PathSeries each : series.values()) {
            if (each.path() instanceof PerftestPath path) {
                String leading = path.operation() == Operation.WRITE ? VerbsName.RAW_WRITE : VerbsName.RAW_READ;
                adoptCounts(each, series.get(path.queues().on(leading)), seconds);
            }
        }
        var comparisons = new ArrayList<Comparison>();
        for (PathSeries each : series.values()) {
            for (String base : VerbsName.of(each.path().name()).bases()) {
                PathSeries other = series.get(base);
                if (other != null) {
                    comparisons.add(new Comparison(each, other));
                }
            }
        }
        PathSeries content = series.get(VerbsName.C_WRITE);
        if (content != null && writesRequests(size)) {
            var path = new PerftestPath(C_REQUEST, places, pair.address(), Operation.WRITE, Queues.ONE);
            var requests = new PathSeries(path, request);
            requests.countAs(content);
            series.put(C_REQUEST, requests);
        }
        return new Turn(List.copyOf(series.values()), comparisons);
    }

    private boolean writesRequests(ByteSize size) {
        return size.bytes() == REQUESTED_BYTES
                && paths.stream().anyMatch(TwoProcessPath.class::isInstance)
                && paths.stream().anyMatch(path -> path.name().equals(VerbsName.C_WRITE));
    }

    /// The number of measurements in a round of all these sizes.
    int measurements(List<ByteSize> sizes) {
        return sizes.stream()
                .mapToInt(size -> (paths.size() + (writesRequests(size) ? 1 : 0)) * Turn.MEASUREMENTS)
                .sum();
    }

    private static void adoptCounts(PathSeries follower, @Nullable PathSeries leading, double seconds)
            throws InterruptedException {
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
