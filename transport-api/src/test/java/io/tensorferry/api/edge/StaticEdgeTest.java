package io.tensorferry.api.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import org.junit.jupiter.api.Test;

class StaticEdgeTest {
    private static final RendezvousKey KEY = key(1, 0);

    private static RendezvousKey key(int producer, int consumer) {
        return RendezvousKey.of(device(producer), device(consumer), "edge");
    }

    private static DeviceName device(int task) {
        return DeviceName.parse("/job:worker/replica:0/task:" + task + "/device:CPU:0");
    }

    private static StaticEdge bytes(long count) {
        return StaticEdge.of(KEY, DataType.UINT8, Shape.of(count));
    }

    @Test
    void anEdgeHasOnePlaceAndCreditsUnlessOneSaysOtherwise() {
        StaticEdge edge = StaticEdge.of(KEY, DataType.FLOAT, Shape.of(2, 3));
        assertThat(edge.places()).isEqualTo(1);
        assertThat(edge.reuse()).isEqualTo(StaticEdge.Reuse.CREDIT);
        StaticEdge other = edge.doubleBuffered().withReuse(StaticEdge.Reuse.DEPENDENCY);
        assertThat(other)
                .isEqualTo(new StaticEdge(KEY, DataType.FLOAT, Shape.of(2, 3), 2, StaticEdge.Reuse.DEPENDENCY));
        assertThat(other.toString()).contains("edge", "2 places", "DEPENDENCY");
        assertThat(edge.toString()).contains("1 place,", "CREDIT");
    }

    @Test
    void placesBeginAtMultiplesOfTheAlignment() {
        long[][] sizes = {{0, 0}, {1, 64}, {63, 64}, {64, 64}, {65, 128}, {1 << 20, 1 << 20}};
        for (long[] size : sizes) {
            StaticEdge edge = bytes(size[0]);
            assertThat(edge.tensorBytes()).isEqualTo(size[0]);
            assertThat(edge.placeBytes()).as("%d bytes", size[0]).isEqualTo(size[1]);
            assertThat(edge.memoryBytes()).isEqualTo(size[1]);
            assertThat(edge.doubleBuffered().memoryBytes()).isEqualTo(2 * size[1]);
        }
        assertThat(StaticEdge.of(KEY, DataType.DOUBLE, Shape.of(3, 3)).tensorBytes())
                .isEqualTo(72);
        assertThat(StaticEdge.of(KEY, DataType.FLOAT, Shape.of()).tensorBytes()).isEqualTo(4);
    }

    @Test
    void placesOutOfRangeAreRefused() {
        for (int places : new int[] {-1, 0, 3, Integer.MAX_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new StaticEdge(KEY, DataType.FLOAT, Shape.of(1), places, StaticEdge.Reuse.CREDIT))
                    .withMessageContaining("places " + places);
        }
    }

    @Test
    void sizesThatOverflowAreRefused() {
        assertThatExceptionOfType(ArithmeticException.class).isThrownBy(() -> bytes(Long.MAX_VALUE));
        StaticEdge half = bytes(Long.MAX_VALUE / 2 + 1);
        assertThatExceptionOfType(ArithmeticException.class).isThrownBy(half::doubleBuffered);
        assertThat(bytes(Long.MAX_VALUE / 2 - 64).doubleBuffered().memoryBytes())
                .isPositive();
    }

    @Test
    void elementsWithoutAFixedSizeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StaticEdge.of(KEY, DataType.STRING, Shape.of(1)))
                .withMessageContaining("STRING");
    }

    @Test
    void twoEndsOnOneWorkerAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> StaticEdge.of(key(1, 1), DataType.FLOAT, Shape.of(1)))
                .withMessageContaining("on one worker");
    }
}
