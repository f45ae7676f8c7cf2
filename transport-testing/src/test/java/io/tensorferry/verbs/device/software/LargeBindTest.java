package io.tensorferry.verbs.device.software;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A window of more bytes than the device's limit: refused when the bind is posted, as mlx5 does, and nothing else
/// happens.
@Timeout(30)
class LargeBindTest {
    private static final int MOST = 4096;

    @Test
    void isRefusedAndTheQueuePairAndTheWindowGoOn() {
        var fabric = new SimulatedFabric(1, SimulatedFabricOptions.defaults().withMaxWindowBytes(MOST));
        try (VerbsDevice first = open(fabric, "one");
                VerbsDevice second = open(fabric, "two");
                var peer = new SoftwareEnd(first, 64, 64);
                var end = new SoftwareEnd(second, MOST + 1, 64);
                MemoryWindow window = end.domain.allocateWindow()) {
            assertThat(second.attributes().maxWindowBytes()).isEqualTo(MOST);
            SoftwareEnd.connect(peer, end);
            int key = window.remoteKey();
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> bind(end, window, MOST + 1))
                    .satisfies(refusal -> assertThat(refusal.errno()).isEqualTo(VerbsException.EOPNOTSUPP))
                    .withMessageContaining("a window of 4097 bytes exceeds the device's limit of 4096");
            assertThat(window.isBound()).isFalse();
            assertThat(window.remoteKey()).isEqualTo(key);

            bind(end, window, MOST);
            end.await(() -> end.polled(1) || (fabric.runNext() && end.polled(1)), "the bind");
            assertThat(end.statuses).containsExactly(WorkStatus.SUCCESS);
            assertThat(window.isBound()).isTrue();
        }
    }

    private static VerbsDevice open(SimulatedFabric fabric, String node) {
        return fabric.provider(node).open(SimulatedFabric.DEVICE);
    }

    private static void bind(SoftwareEnd end, MemoryWindow window, long bytes) {
        end.queuePair.postSend(new SendWorkRequest().bind(1, window, end.region, end.region.address(), bytes));
    }
}
