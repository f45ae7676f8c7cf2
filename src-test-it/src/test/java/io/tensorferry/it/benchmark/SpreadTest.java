package io.tensorferry.it.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class SpreadTest {
    @Test
    void theMedianIsTheMiddleOneOrTheMeanOfTheMiddleTwo() {
        assertThat(Spread.of(List.of(3.0, 1.0, 8.0))).isEqualTo(new Spread(3, 1, 8));
        assertThat(Spread.of(List.of(3.0, 1.0, 8.0, 4.0))).isEqualTo(new Spread(3.5, 1, 8));
        assertThatIllegalArgumentException().isThrownBy(() -> Spread.of(List.of()));
    }

    @Test
    void ratiosAreTakenRoundByRound() {
        var one = List.of(transfer(100, 1), transfer(10, 1));
        var other = List.of(transfer(50, 1), transfer(5, 1));

        assertThat(Comparison.ratio(one, other, Transfer::bytesPerSecond)).isEqualTo(new Spread(2, 2, 2));
    }

    private static Transfer transfer(long bytes, long elapsedNs) {
        return new Transfer(1, bytes, elapsedNs, new Histogram(3));
    }
}
