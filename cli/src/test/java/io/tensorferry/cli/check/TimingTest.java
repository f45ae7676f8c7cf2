package io.tensorferry.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class TimingTest {
    @Test
    void tellsTheShortestTheMiddleAndTheLongOfManyRounds() {
        long[] rounds = LongStream.rangeClosed(1, 200).map(i -> (i * 7) % 201).toArray();
        assertThat(Timing.of(1000, 5000, rounds)).isEqualTo(new Timing(1000, 200, 5000, 1, 100, 198));
    }

    @Test
    void oneRoundIsAllOfThem() {
        assertThat(Timing.of(8, 9, new long[] {4})).isEqualTo(new Timing(8, 1, 9, 4, 4, 4));
    }

    @Test
    void theRateIsThatOfTheMedian() {
        assertThat(new Timing(1000, 1, 0, 1, 500, 900).bytesPerSecond()).isEqualTo(2e9);
        assertThat(new Timing(1000, 1, 0, 0, 0, 0).bytesPerSecond()).isZero();
    }

    @Test
    void quantitiesHaveThreeDigitsAndAUnit() {
        assertThat(Quantity.duration(999)).isEqualTo("999 ns");
        assertThat(Quantity.duration(1234)).isEqualTo("1.23 us");
        assertThat(Quantity.duration(12_340_000)).isEqualTo("12.3 ms");
        assertThat(Quantity.duration(123_400_000_000L)).isEqualTo("123 s");
        assertThat(Quantity.rate(512)).isEqualTo("512 B/s");
        assertThat(Quantity.rate(1.5 * (1 << 20))).isEqualTo("1.50 MiB/s");
        assertThat(Quantity.rate(20.0 * (1 << 30))).isEqualTo("20.0 GiB/s");
    }
}
