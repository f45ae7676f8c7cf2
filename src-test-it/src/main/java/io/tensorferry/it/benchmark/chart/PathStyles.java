package io.tensorferry.it.benchmark.chart;

import static io.tensorferry.it.benchmark.chart.PathStyle.Marker.CIRCLE;
import static io.tensorferry.it.benchmark.chart.PathStyle.Marker.DIAMOND;
import static io.tensorferry.it.benchmark.chart.PathStyle.Marker.SQUARE;
import static io.tensorferry.it.benchmark.chart.PathStyle.Marker.TRIANGLE;
import static java.util.Map.entry;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Assigns styles to paths. Corresponding paths of two benchmarks have the same style. A path with loops that never
/// sleep has the colour of the same path with sleeping loops, with hollow markers.
final class PathStyles {
    private static final Map<String, PathStyle> KNOWN = Map.ofEntries(
            entry("ib_write", new PathStyle("ink", DIAMOND, false)),
            entry("ib_write-request", new PathStyle("ink", DIAMOND, true)),
            entry("ib_read", new PathStyle("ink", SQUARE, false)),
            entry("raw-write", new PathStyle("purple", CIRCLE, false)),
            entry("raw-immediate", new PathStyle("purple", TRIANGLE, false)),
            entry("raw-flag", new PathStyle("purple", SQUARE, false)),
            entry("raw-read", new PathStyle("purple", DIAMOND, true)),
            entry("recvAsync", new PathStyle("blue", CIRCLE, false)),
            entry("recvAsync-busy", new PathStyle("blue", CIRCLE, true)),
            entry("static", new PathStyle("green", SQUARE, false)),
            entry("static-busy", new PathStyle("green", SQUARE, true)),
            entry("dynamic", new PathStyle("orange", TRIANGLE, false)),
            entry("dynamic-busy", new PathStyle("orange", TRIANGLE, true)),
            entry("gather", new PathStyle("teal", DIAMOND, false)),
            entry("gather-busy", new PathStyle("teal", DIAMOND, true)),
            entry("grpc+verbs", new PathStyle("blue", CIRCLE, false)),
            entry("grpc+verbs@busy", new PathStyle("blue", CIRCLE, true)),
            entry("grpc+verbs@tcp", new PathStyle("blue", TRIANGLE, false)),
            entry("grpc+verbs@request", new PathStyle("blue", DIAMOND, false)),
            entry("grpc+verbs@gpu", new PathStyle("blue", SQUARE, false)),
            entry("grpc+verbs@static", new PathStyle("green", SQUARE, false)),
            entry("grpc+verbs@static:busy", new PathStyle("green", SQUARE, true)),
            entry("grpc+verbs@dynamic", new PathStyle("orange", TRIANGLE, false)),
            entry("grpc+verbs@dynamic:busy", new PathStyle("orange", TRIANGLE, true)),
            entry("grpc+verbs@gather", new PathStyle("teal", DIAMOND, false)),
            entry("grpc+verbs@gather:busy", new PathStyle("teal", DIAMOND, true)),
            entry("grpc", new PathStyle("red", CIRCLE, false)),
            entry("grpc-java", new PathStyle("red", DIAMOND, false)),
            entry("grpc-java-stream", new PathStyle("red", DIAMOND, true)),
            entry("flight", new PathStyle("brown", TRIANGLE, false)),
            entry("ucx-shm", new PathStyle("pink", SQUARE, false)),
            entry("ucx-tcp", new PathStyle("pink", SQUARE, true)),
            entry("memcpy", new PathStyle("grey", CIRCLE, false)),
            entry("socket", new PathStyle("grey", TRIANGLE, false)),
            entry("gpu-copies", new PathStyle("grey", SQUARE, false)));

    /// Colours for names with knobs, whose number is unlimited, assigned in order of appearance.
    private static final List<String> SPARE = List.of("olive", "indigo", "salmon", "aqua");

    private final Map<String, PathStyle> styles = new HashMap<>();

    /// @param paths all paths of one chart
    PathStyles(Collection<String> paths) {
        PathStyle.Marker[] markers = PathStyle.Marker.values();
        int unknown = 0;
        for (String path : paths) {
            PathStyle known = KNOWN.get(path);
            if (known != null) {
                styles.put(path, known);
            } else if (!styles.containsKey(path)) {
                int turn = unknown / SPARE.size();
                styles.put(
                        path,
                        new PathStyle(
                                SPARE.get(unknown % SPARE.size()),
                                markers[turn % markers.length],
                                turn / markers.length % 2 == 1));
                unknown++;
            }
        }
    }

    /// @throws IllegalArgumentException if the chart does not contain this path
    PathStyle of(String path) {
        PathStyle style = styles.get(path);
        if (style == null) {
            throw new IllegalArgumentException("path '" + path + "' is not of this chart: " + styles.keySet());
        }
        return style;
    }

    static boolean isKnown(String path) {
        return KNOWN.containsKey(path);
    }
}
