package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.ByteSize;
import io.tensorferry.it.benchmark.Comparison;
import io.tensorferry.it.benchmark.PathSeries;
import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.benchmark.Turn;
import io.tensorferry.it.benchmark.contest.Contender;
import io.tensorferry.it.benchmark.contest.TwoProcessPath;
import io.tensorferry.it.benchmark.rendezvous.RendezvousConsumer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The paths there are, by name, and the processes behind those that were opened. For one thread.
final class VerbsPaths implements AutoCloseable {
    static final String C_WRITE = "ib_write";
    static final String RAW_WRITE = "raw-write";
    static final String TENSOR = "recvAsync";

    /// The same with loops that never sleep and callbacks on them, as C's programs never sleep.
    static final String BUSY_TENSOR = "recvAsync-busy";

    /// Writes of as many bytes as the request of a receive has, measured where tensors of 4 KiB are received.
    static final String C_REQUEST = "ib_write-request";

    static final String C_READ = "ib_read";
    static final String RAW_READ = "raw-read";
    static final List<String> NAMES = List.of(C_WRITE, RAW_WRITE, TENSOR, BUSY_TENSOR, C_READ, RAW_READ);

    /// What is compared with what.
    private static final Map<String, String> BASES =
            Map.of(RAW_WRITE, C_WRITE, TENSOR, C_WRITE, BUSY_TENSOR, C_WRITE, RAW_READ, C_READ);

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
    /// @param names of the paths, in the order in which they are measured
    /// @param mostBytes the longest message
    /// @param request what the request of a warm receive has
    /// @param compileSeconds of warm-up, twice for each path of Java
    static VerbsPaths open(List<String> names, long mostBytes, ByteSize request, double compileSeconds)
            throws InterruptedException {
        var places = Places.fromProperties();
        int lanes =
                names.stream().mapToInt(name -> Queues.of(name).lanes()).max().orElse(1);
        var opened = new VerbsPaths(places, RawPair.start(places, mostBytes, lanes), request);
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
        Queues queues = Queues.of(name);
        return switch (Queues.plain(name)) {
            case C_WRITE -> new PerftestPath(name, places, pair.address(), Operation.WRITE, queues);
            case C_READ -> new PerftestPath(name, places, pair.address(), Operation.READ, queues);
            case RAW_WRITE -> new RawPath(name, pair, Operation.WRITE, queues);
            case RAW_READ -> new RawPath(name, pair, Operation.READ, queues);
            case TENSOR -> tensorPath(name, Contender.VERBS, queues);
            case BUSY_TENSOR -> tensorPath(name, Contender.BUSY, queues);
            default ->
                throw new IllegalArgumentException("path '" + name + "' is unknown; the paths are " + NAMES
                        + ", each also as @q4 (queue pairs), @l16 (requests in a list) or @q4l16");
        };
    }

    /// Lists are the transport's own business.
    private TransferPath tensorPath(String name, Contender contender, Queues queues) throws InterruptedException {
        String lanes = RendezvousConsumer.lanesArgument(queues.lanes());
        return TwoProcessPath.start(
                name,
                contender,
                main -> places.atSource(main).jvmArguments(lanes),
                main -> places.atTarget(main).jvmArguments(lanes));
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
        for (PathSeries each : series.values()) {
            String name = each.path().name();
            Queues queues = Queues.of(name);
            switch (Queues.plain(name)) {
                case C_WRITE -> adoptCounts(each, series.get(queues.on(RAW_WRITE)), seconds);
                case C_READ -> adoptCounts(each, series.get(queues.on(RAW_READ)), seconds);
                default -> {
                    // It has found its own.
                }
            }
        }
        PathSeries content = series.get(C_WRITE);
        if (content != null && writesRequests(size)) {
            var path = new PerftestPath(C_REQUEST, places, pair.address(), Operation.WRITE, Queues.ONE);
            var requests = new PathSeries(path, request);
            requests.countAs(content);
            series.put(C_REQUEST, requests);
        }
        var comparisons = new ArrayList<Comparison>();
        for (PathSeries each : series.values()) {
            // C_* has no base itself.
            String name = each.path().name();
            String plainBase = BASES.getOrDefault(Queues.plain(name), "");
            PathSeries base = series.get(Queues.of(name).on(plainBase));
            if (base != null) {
                comparisons.add(new Comparison(each, base));
            }
        }
        return new Turn(List.copyOf(series.values()), comparisons);
    }

    private boolean writesRequests(ByteSize size) {
        List<String> names = paths.stream().map(TransferPath::name).toList();
        boolean receives = names.contains(TENSOR) || names.contains(BUSY_TENSOR);
        return receives && size.bytes() == REQUESTED_BYTES && names.contains(C_WRITE);
    }

    /// How many measurements a round of all these sizes has.
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
