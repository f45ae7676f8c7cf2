package io.tensorferry.it.benchmark.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.it.benchmark.contest.Contender;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PathStylesTest {
    private static final List<String> CONTENDERS =
            Arrays.stream(Contender.values()).map(Contender::path).toList();
    private static final List<String> BESIDE_C = List.of(
            "ib_write",
            "ib_write-request",
            "ib_read",
            "raw-write",
            "raw-immediate",
            "raw-flag",
            "raw-read",
            "recvAsync",
            "recvAsync-busy",
            "static",
            "static-busy",
            "dynamic",
            "dynamic-busy",
            "gather",
            "gather-busy",
            "grpc-java");

    @Test
    void everyPathHasAStyle() {
        assertThat(CONTENDERS).allMatch(PathStyles::isKnown);
        assertThat(BESIDE_C).allMatch(PathStyles::isKnown);
    }

    @Test
    void pathsOfOneBenchmarkLookDifferent() {
        for (List<String> paths : List.of(CONTENDERS, BESIDE_C)) {
            var styles = new PathStyles(paths);

            assertThat(paths).extracting(styles::of).doesNotHaveDuplicates();
        }
    }

    @Test
    void aPathLooksTheSameInEveryChart() {
        var alone = new PathStyles(List.of("grpc-java"));
        var among = new PathStyles(List.of("static@q4", "recvAsync", "grpc-java"));

        assertThat(among.of("grpc-java")).isEqualTo(alone.of("grpc-java"));
        assertThat(among.of("recvAsync")).isEqualTo(new PathStyles(List.of("grpc+verbs")).of("grpc+verbs"));
    }

    @Test
    void pathsWithKnobsHaveColoursOfTheirOwn() {
        List<String> paths = Stream.concat(
                        BESIDE_C.stream(),
                        Stream.iterate(1, n -> n <= 30, n -> n + 1).map(n -> "recvAsync@q" + n))
                .toList();
        var styles = new PathStyles(paths);

        assertThat(paths).extracting(styles::of).doesNotHaveDuplicates();
    }

    @Test
    void everyColourIsInTheStyleSheetForLightAndForDark() {
        var styles = new PathStyles(
                Stream.concat(Stream.concat(CONTENDERS.stream(), BESIDE_C.stream()), Stream.of("a", "b", "c", "d"))
                        .toList());

        assertThat(Stream.of(CONTENDERS, BESIDE_C, List.of("a", "b", "c", "d")).flatMap(List::stream))
                .extracting(path -> styles.of(path).colour())
                .allSatisfy(colour -> assertThat(SvgStyle.ELEMENT.split("\\." + colour + " \\{ color: "))
                        .hasSize(3));
    }

    @Test
    void aPathOfAnotherChartIsRefused() {
        var styles = new PathStyles(List.of("grpc"));

        assertThatThrownBy(() -> styles.of("flight"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'flight'")
                .hasMessageContaining("[grpc]");
    }
}
