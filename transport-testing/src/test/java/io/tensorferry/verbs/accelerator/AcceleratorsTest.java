package io.tensorferry.verbs.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceName;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AcceleratorsTest {
    private final AcceleratorTime time = AcceleratorTime.real();
    private final ProtectionDomain domain = DeviceChoice.choose(
                    RdmaConfig.builder().build(), List.of(new SimulatedFabric(1).provider("node")))
            .device()
            .allocateProtectionDomain();
    private final RegisteredMemory memory = new RegisteredMemory(domain, MemoryOptions.defaults());

    @AfterEach
    void close() {
        memory.close();
        domain.close();
        time.close();
    }

    private SimulatedAccelerator gpu(int index) {
        return new SimulatedAccelerator(index, time, 3, SimulatedAcceleratorOptions.defaults());
    }

    private Accelerators open(Accelerator... devices) {
        return Accelerators.open(
                List.of(devices),
                memory,
                AcceleratorOptions.defaults(),
                Runnable::run,
                Runnable::run,
                AcceleratorUnit::ownThread);
    }

    private static DeviceName name(String device) {
        return DeviceName.parse("/job:worker/replica:0/task:0/device:" + device);
    }

    @Test
    void eachIsFoundByItselfAndByItsName() {
        SimulatedAccelerator zero = gpu(0);
        SimulatedAccelerator one = gpu(1);
        Accelerators all = open(zero, one);
        assertThat(all.of(one)).isSameAs(all.named(name("GPU:1")));
        assertThat(all.of(zero)).isSameAs(all.named(name("GPU:0"))).isNotNull();
        assertThat(all.of(Device.HOST)).isNull();
        assertThat(all.of(gpu(0))).as("another one of the same name").isNull();
        assertThat(all.named(name("CPU:7"))).isNull();
        assertThat(all.statistics()).extracting(AcceleratorStatistics::device).containsExactly("GPU:0", "GPU:1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> all.named(name("GPU:2")))
                .withMessageContaining("no GPU:2")
                .withMessageContaining("has GPU:0, GPU:1");
    }

    /// As in versions without accelerators, keys may name devices that the transport does not know.
    @Test
    void whoHasNoneTakesEachNameForTheHosts() {
        assertThat(open()).isSameAs(Accelerators.none());
        assertThat(Accelerators.none().named(name("GPU:2"))).isNull();
        assertThat(Accelerators.none().isBusy()).isFalse();
    }

    @Test
    void twoOfOneNameAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> open(gpu(1), gpu(1)))
                .withMessageContaining("GPU:1");
    }
}
