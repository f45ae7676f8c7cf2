package io.tensorferry.verbs.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Spans are laid and removed as by the simplest algorithm, but many of them in a fraction of its time.
@Timeout(120)
class LaidSpansTest {
    private static final int SETS = 12;

    private record Laid(Span span, long offset) {
        long end() {
            return offset + span.bytes();
        }

        boolean meets(Span other) {
            return span.first() <= other.last() && other.first() <= span.last();
        }
    }

    private static List<Span> random(int count, Random random) {
        int positions = 1 + random.nextInt(count);
        int longest = 1 + random.nextInt(positions);
        int largest = random.nextBoolean() ? 4 : 100_000;
        return IntStream.range(0, count)
                .mapToObj(index -> {
                    int first = random.nextInt(positions);
                    return new Span(index, 1 + random.nextInt(largest), first, first + random.nextInt(longest));
                })
                .toList();
    }

    private static long[] laidOneByOne(List<Span> order) {
        var laid = new ArrayList<Laid>();
        var offsets = new long[order.size()];
        for (Span span : order) {
            long offset = 0;
            for (Laid other : laid) {
                if (other.meets(span)) {
                    if (other.offset() - offset >= span.bytes()) {
                        break;
                    }
                    offset = Math.max(offset, other.end());
                }
            }
            offsets[span.index()] = offset;
            laid.add(new Laid(span, offset));
            laid.sort(Comparator.comparingLong(Laid::offset));
        }
        return offsets;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 63, 64, 65, 129, 300, 1000})
    void eachSpanLiesWhereALookAtAllOthersPutsIt(int count) {
        for (int seed = 0; seed < SETS; seed++) {
            List<Span> spans = random(count, new Random(seed));
            Packing packing = Packing.inOrder(spans, TimeSlices.of(spans), Long.MAX_VALUE);

            assertThat(packing).isNotNull();
            assertThat(spans.stream().mapToLong(packing::offset))
                    .as("%d spans, seed %d", count, seed)
                    .containsExactly(LongStream.of(laidOneByOne(spans)).boxed().toArray(Long[]::new));
        }
    }

    @Test
    void anOrderThatReachesTheLimitIsLeft() {
        List<Span> spans = List.of(new Span(0, 10, 0, 1), new Span(1, 20, 1, 2));
        TimeSlices slices = TimeSlices.of(spans);

        assertThat(Packing.inOrder(spans, slices, 30)).isNull();
        assertThat(Packing.inOrder(spans, slices, 31)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 64, 65, 500})
    void spansOfAPositionAreTakenOnceAndInTheOrderOfTheInput(int count) {
        for (int seed = 0; seed < SETS; seed++) {
            var random = new Random(seed);
            List<Span> spans = random(count, random);
            var waiting = new WaitingSpans(spans);
            var taken = new HashSet<Span>();
            for (int position : random.ints(2L * count, -1, 2 * count).toArray()) {
                List<Span> expected = spans.stream()
                        .filter(span -> span.isInUseAt(position) && !taken.contains(span))
                        .toList();
                taken.addAll(expected);

                assertThat(waiting.takeAt(position))
                        .as("%d spans, seed %d, position %d", count, seed, position)
                        .isEqualTo(expected);
            }
        }
    }

    /// About 2 s of a processor; 11 s if each span is compared with all others.
    @Test
    void aGraphOfFortyThousandTensorsIsPlannedInSeconds() {
        int count = 40_000;
        var random = new Random(1);
        List<GraphEdge> edges = IntStream.range(0, count)
                .mapToObj(index -> {
                    int first = random.nextInt(count);
                    return Edges.ofBytes("e" + index, 1 + random.nextInt(400_000))
                            .during(first, first + 1 + random.nextInt(count / 10));
                })
                .toList();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long begin = threads.getCurrentThreadCpuTime();
        PlacementPlan plan = Edges.planOneByOne(edges);
        long end = threads.getCurrentThreadCpuTime();

        assertThat(Edges.only(plan).plannedBytes()).isPositive();
        assertThat(Duration.ofNanos(end - begin)).isLessThan(Duration.ofSeconds(6));
    }
}
