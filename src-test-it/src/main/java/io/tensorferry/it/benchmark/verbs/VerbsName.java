package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.PathName;
import io.tensorferry.it.benchmark.contest.Contender;
import io.tensorferry.it.benchmark.contest.Entrant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The name of a path to measure: `raw-write`, `ib_write@q4l16`, `recvAsync@q4:chunk=64KiB`.
///
/// @param name the name on the command line and in the table
/// @param plain the name without variations
/// @param receiver the receiver of tensors; null if the path receives none
record VerbsName(
        String name, String plain, Queues queues, @Nullable Entrant receiver) {
    static final String C_WRITE = "ib_write";
    static final String RAW_WRITE = "raw-write";
    /// Writes that the target detects by an immediate, or by a flag written behind them.
    static final String RAW_IMMEDIATE = "raw-immediate";

    static final String RAW_FLAG = "raw-flag";

    static final String TENSOR = "recvAsync";

    /// With loops that never sleep and run the callbacks, since the C programs never sleep either.
    static final String BUSY_TENSOR = "recvAsync-busy";

    static final List<String> RECEIVES = List.of(TENSOR, BUSY_TENSOR);

    /// Tensors over static edges, each requested by an empty tensor; and with loops that never sleep.
    static final String EDGE = "static";

    static final String BUSY_EDGE = "static-busy";

    /// Tensors over dynamic edges; and with loops that never sleep.
    static final String DYNAMIC_EDGE = "dynamic";

    static final String BUSY_DYNAMIC_EDGE = "dynamic-busy";

    static final List<String> STATIC_EDGES = List.of(EDGE, BUSY_EDGE);

    /// Rows of a partitioned tensor, each by a separate READ; and with loops that never sleep.
    static final String GATHER = "gather";

    static final String BUSY_GATHER = "gather-busy";

    static final String C_READ = "ib_read";
    static final String RAW_READ = "raw-read";

    /// Without an RDMA device: the alternative of a runtime that has none.
    static final String GRPC = "grpc-java";

    private static final List<String> RAW = List.of(RAW_WRITE, RAW_IMMEDIATE, RAW_FLAG, RAW_READ);

    /// The available paths.
    static final List<String> PLAIN = List.of(
            C_WRITE,
            RAW_WRITE,
            RAW_IMMEDIATE,
            RAW_FLAG,
            TENSOR,
            BUSY_TENSOR,
            EDGE,
            BUSY_EDGE,
            DYNAMIC_EDGE,
            BUSY_DYNAMIC_EDGE,
            C_READ,
            RAW_READ,
            GATHER,
            BUSY_GATHER,
            GRPC);

    /// The base of each comparison.
    private static final Map<String, String> BASES = Map.ofEntries(
            Map.entry(RAW_WRITE, C_WRITE),
            Map.entry(RAW_IMMEDIATE, RAW_WRITE),
            Map.entry(RAW_FLAG, RAW_WRITE),
            Map.entry(TENSOR, C_WRITE),
            Map.entry(BUSY_TENSOR, C_WRITE),
            Map.entry(EDGE, C_WRITE),
            Map.entry(BUSY_EDGE, C_WRITE),
            Map.entry(DYNAMIC_EDGE, C_WRITE),
            Map.entry(BUSY_DYNAMIC_EDGE, C_WRITE),
            Map.entry(RAW_READ, C_READ),
            Map.entry(GATHER, C_READ),
            Map.entry(BUSY_GATHER, C_READ),
            Map.entry(GRPC, C_WRITE));

    /// @throws IllegalArgumentException naming the path, its invalid part, and the valid values
    static VerbsName of(String name) {
        var parts = PathName.parse(name);
        if (!PLAIN.contains(parts.plain())) {
            throw new IllegalArgumentException("path '" + name + "' is unknown; the paths are " + PLAIN
                    + ", each also as @q4 (queue pairs), @l16 (requests in a list) or @q4l16, those that receive tensors"
                    + " also with knobs, as " + TENSOR + "@q4:chunk=64KiB");
        }
        try {
            Queues queues = Queues.of(parts);
            if (queues.depth() > 0 && RAW.contains(parts.plain())) {
                throw new IllegalArgumentException(
                        "only C's programs, and the paths compared with them, take a number of requests in flight");
            }
            return new VerbsName(name, parts.plain(), queues, receiver(parts, queues));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("path '" + name + "': " + e.getMessage(), e);
        }
    }

    private static @Nullable Entrant receiver(PathName name, Queues queues) {
        var settings = new ArrayList<String>();
        // The transport chooses its lists itself.
        if (queues.lanes() > 1) {
            settings.add("lanes=" + queues.lanes());
        }
        settings.addAll(name.settings());
        return switch (name.plain()) {
            case TENSOR -> Entrant.of(Contender.VERBS, settings);
            case BUSY_TENSOR -> Entrant.of(Contender.BUSY, settings);
            case EDGE -> Entrant.of(Contender.STATIC, settings);
            case BUSY_EDGE -> Entrant.of(Contender.BUSY_STATIC, settings);
            case DYNAMIC_EDGE -> Entrant.of(Contender.DYNAMIC, settings);
            case BUSY_DYNAMIC_EDGE -> Entrant.of(Contender.BUSY_DYNAMIC, settings);
            case GATHER -> Entrant.of(Contender.GATHER, settings);
            case BUSY_GATHER -> Entrant.of(Contender.BUSY_GATHER, settings);
            case GRPC -> Entrant.of(Contender.GRPC_UNARY, settings);
            default -> {
                if (!name.settings().isEmpty()) {
                    throw new IllegalArgumentException(
                            "'" + name.settings().getFirst() + "': only paths that receive tensors have knobs");
                }
                yield null;
            }
        };
    }

    /// The names of the bases: the C program with as many queue pairs and lists; and, if the name sets knobs, the same
    /// path without knobs.
    List<String> bases() {
        var bases = new ArrayList<String>();
        String base = BASES.get(plain);
        if (base != null) {
            bases.add(queues.on(base));
        }
        String untuned = queues.on(plain);
        if (!untuned.equals(name)) {
            bases.add(untuned);
        }
        return bases;
    }

    @Override
    public String toString() {
        return name;
    }
}
