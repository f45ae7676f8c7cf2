package io.tensorferry.verbs.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.management.OperatingSystemMXBean;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.memory.RecordingDomain;
import io.tensorferry.verbs.memory.RecordingSlabs;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.memory.SlabPool;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The default limits.
@Timeout(20)
class MemoryOptionsTest {
    private static long physicalBytes() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    }

    @Test
    void byDefaultAPoolTakesHalfOfTheMachineAndKeepsAQuarterForLargeRequests() {
        MemoryOptions options = MemoryOptions.defaults();
        assertThat(options.maximumBytes()).isBetween(physicalBytes() / 2 - 4096, physicalBytes() / 2);
        assertThat(options.idleBytes()).isBetween(physicalBytes() / 4 - 4096, physicalBytes() / 4);
        assertThat(options.waitAtLimit()).isEqualTo(Duration.ZERO);
        assertThat(options.withMaximumBytes(1 << 20).maximumBytes()).isEqualTo(1 << 20);
    }

    @Test
    void memoryThatTheMachineDoesNotHaveIsRefusedAndTheErrorNamesTheLimit() {
        MemoryOptions options = MemoryOptions.defaults();
        try (var memory = new RegisteredMemory(new RecordingDomain(), options)) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> memory.allocate(physicalBytes()))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
                    .withMessageContaining("no registered memory for " + physicalBytes() + " bytes")
                    .withMessageContaining("the limit is " + options.maximumBytes())
                    .withMessageContaining("MemoryOptions.maximumBytes");
        }
    }

    @Test
    void aSlabOfAnEighthOfTheMachineWaitsForTheNextLikeAnyOther() {
        long bytes = physicalBytes() / 8;
        var slabs = new RecordingSlabs(false);
        try (var memory = new RegisteredMemory(new RecordingDomain(), MemoryOptions.defaults())) {
            SlabPool pool = memory.openPool(slabs, MemoryOptions.defaults());
            for (int i = 0; i < 3; i++) {
                pool.allocate(bytes).close();
            }
            assertThat(slabs.events).hasSize(1);
        }
    }
}
