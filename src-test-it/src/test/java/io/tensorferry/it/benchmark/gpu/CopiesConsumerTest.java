package io.tensorferry.it.benchmark.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.it.benchmark.exchange.ConsumerPath;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// On the first GPU, or the simulated accelerator.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CopiesConsumerTest {
    /// Of several pieces too, and not of whole words.
    @ParameterizedTest
    @ValueSource(longs = {0, 4097, 5_000_001})
    void everyByteIsCopiedEachTime(long bytes) throws Exception {
        try (var path = new ConsumerPath("copies", new CopiesConsumer())) {
            path.verify(bytes);
            Transfer transfer = path.latency(bytes, 3);
            path.verify(bytes);

            assertThat(transfer.count()).isEqualTo(3);
        }
    }
}
