package io.tensorferry.it.benchmark.gpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorferry.api.DeviceMemory;
import io.tensorferry.it.benchmark.exchange.Content;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// On the first GPU, or the simulated accelerator.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DeviceBytesTest {
    private static final long BYTES = 10_001;

    @Test
    void whatWasFilledIsThereOnceAndThenWipedOut() {
        try (TensorDevice device = TensorDevice.open();
                DeviceMemory memory = device.accelerator().allocate(BYTES)) {
            var bytes = new DeviceBytes(device.accelerator(), memory.address(), BYTES);

            bytes.fill();

            bytes.take(content -> Content.check(content, BYTES));
            assertThatIllegalStateException()
                    .isThrownBy(() -> bytes.take(content -> Content.check(content, BYTES)))
                    .withMessageContaining("differs");
        }
    }

    @Test
    void nothingIsReadOfATensorWithoutBytes() {
        try (TensorDevice device = TensorDevice.open()) {
            var bytes = new DeviceBytes(device.accelerator(), 0, 0);
            var seen = new ArrayList<Long>();

            bytes.fill();
            bytes.take(content -> seen.add(content.byteSize()));

            assertThat(seen).containsExactly(0L);
        }
    }
}
