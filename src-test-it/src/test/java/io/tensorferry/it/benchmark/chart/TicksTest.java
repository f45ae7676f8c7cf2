package io.tensorferry.it.benchmark.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TicksTest {
    @Test
    void decimalNumbersHaveOneDigit() {
        assertThat(Ticks.DECIMAL.enclosing(0.48, 16.92)).containsExactly(0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0);
    }

    @Test
    void ofManyDecimalNumbersThePowersOfTenAreLabelled() {
        List<Double> numbers = Ticks.DECIMAL.enclosing(25.5, 247_726);

        assertThat(numbers).startsWith(20.0).endsWith(500_000.0);
        assertThat(Ticks.DECIMAL.labelled(numbers)).containsExactly(100.0, 1_000.0, 10_000.0, 100_000.0);
    }

    @Test
    void binaryNumbersArePowersOfTwo() {
        assertThat(Ticks.BINARY.enclosing(253, 2_579)).containsExactly(128.0, 256.0, 512.0, 1_024.0, 2_048.0, 4_096.0);
    }

    @Test
    void ofManyBinaryNumbersEachSixteenthIsLabelled() {
        List<Double> numbers = Ticks.BINARY.enclosing(3_000, 1 << 30);

        assertThat(Ticks.BINARY.labelled(numbers))
                .containsExactly(4096.0, 65_536.0, 1_048_576.0, 16_777_216.0, 268_435_456.0);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "5, 5", "0.031, 0.031", "1.56, 1.62", "6, 6.01", "99.9, 100", "1000, 1000", "4096, 4096"})
    void aNarrowSpanStillHasSeveralLabels(double least, double most) {
        for (Ticks kind : Ticks.values()) {
            List<Double> numbers = kind.enclosing(least, most);

            assertThat(kind.labelled(numbers)).hasSizeGreaterThan(1);
            assertThat(numbers.getFirst()).isLessThanOrEqualTo(least);
            assertThat(numbers.getLast()).isGreaterThanOrEqualTo(most);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 151", "9.9, 1600", "2049, 600000", "3, 1e9", "0.001, 1e6"})
    void aWideSpanHasAFewLabels(double least, double most) {
        for (Ticks kind : Ticks.values()) {
            assertThat(kind.labelled(kind.enclosing(least, most))).hasSizeBetween(2, 10);
        }
    }
}
