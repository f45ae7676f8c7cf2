package io.tensorferry.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.data.Percentage.withPercentage;

import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TransferTest {
    @Test
    void comesWholeOutOfItsLine() {
        Histogram latenciesNs = Transfer.emptyHistogram();
        for (int i = 1; i <= 1000; i++) {
            latenciesNs.recordValue(i * 1000L);
        }
        var transfer = new Transfer(1000, 8000, 7_000_000_000L, latenciesNs);

        Transfer read = Transfer.parse(transfer.toLine());

        assertThat(read).isEqualTo(transfer);
        assertThat(read.latencyMicros(50)).isCloseTo(500, withPercentage(0.2));
    }

    @Test
    void theHistogramOfSeveralThreadsFitsALineToo() {
        var latenciesNs = new ConcurrentHistogram(3);
        latenciesNs.recordValue(12_345);

        Transfer read = Transfer.parse(new Transfer(1, 8, 12_345, latenciesNs).toLine());

        assertThat(read.latenciesNs().getTotalCount()).isEqualTo(1);
        assertThat(read.latencyMicros(99)).isCloseTo(12.345, withPercentage(0.2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1 2 3", "1 2 3 ?", "1 2 3 AAAA", "x 2 3 AAAA"})
    void refusesAnythingElse(String line) {
        assertThatIllegalArgumentException().isThrownBy(() -> Transfer.parse(line));
    }
}
