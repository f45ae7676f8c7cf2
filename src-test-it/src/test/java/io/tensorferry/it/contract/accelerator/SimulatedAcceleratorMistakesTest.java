package io.tensorferry.it.contract.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// What the simulated accelerator finds, and what tests make it do.
class SimulatedAcceleratorMistakesTest {
    private static final int BYTES = 1 << 20;

    private final SimulatedFabric fabric = new SimulatedFabric(1, SimulatedFabricOptions.defaults());
    private final SimulatedAccelerator accelerator =
            new SimulatedAccelerator(0, AcceleratorTime.of(fabric), 3, SimulatedAcceleratorOptions.defaults());
    private final Arena arena = Arena.ofShared();
    private final MemorySegment host = arena.allocate(BYTES, 64);
    private final HostPin pin = accelerator.pin(host);
    private final DeviceMemory memory = accelerator.allocate(BYTES);
    private final DeviceStream stream = accelerator.openStream();

    @AfterEach
    void close() {
        arena.close();
    }

    private void runAll() {
        while (fabric.runNext()) {
            // Until nothing is left to happen.
        }
    }

    @Test
    void deviceMemoryThatIsFreedDuringACopyIsOne() {
        stream.copyFromHost(host, memory.address());
        DeviceEvent done = stream.record();
        memory.close();
        runAll();
        assertBroken(done, "no memory of " + BYTES + " bytes");
    }

    @Test
    void hostMemoryThatIsUnpinnedDuringACopyIsOne() {
        stream.copyToHost(memory.address(), host);
        DeviceEvent done = stream.record();
        pin.close();
        runAll();
        assertBroken(done, "is not pinned");
    }

    private void assertBroken(DeviceEvent done, String what) {
        assertThat(accelerator.mistakes()).isNotEmpty().allMatch(mistake -> mistake.contains(what));
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(done::isReached)
                .withMessageContaining(what);
    }

    @Test
    void aCopyThatNobodyCouldDoIsRefusedAtOnce() {
        assertThatIllegalStateException().isThrownBy(() -> stream.copyFromHost(host, memory.address() + 1));
        assertThatIllegalStateException()
                .isThrownBy(() -> stream.copyToHost(memory.address(), arena.allocate(64)))
                .withMessageContaining("not pinned");
        assertThatIllegalStateException().isThrownBy(accelerator::close).withMessageContaining("1 streams");
        accelerator.forbid(Thread.currentThread());
        assertThatIllegalStateException().isThrownBy(stream::record);
        assertThat(accelerator.mistakes()).hasSize(4);
    }

    @Test
    void whatIsHeldBeginsWhenItIsReleasedAlsoInAStreamThatIsClosed() {
        accelerator.hold();
        accelerator.poke(memory.address(), new byte[] {7});
        stream.copyToHost(memory.address(), host);
        DeviceEvent done = stream.record();
        stream.close();
        runAll();
        assertThat(done.isReached()).isFalse();
        assertThat(accelerator.leftOver()).contains("1 streams");

        accelerator.release();
        runAll();
        assertThat(done.isReached()).isTrue();
        assertThat(host.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
        assertThat(accelerator.leftOver()).doesNotContain("streams");
        assertThat(accelerator.mistakes()).isEmpty();
    }

    @Test
    void aBrokenDeviceDoesNothingMoreAndCanBeClosed() {
        accelerator.failNextCopy(new TransportException(StatusCode.INTERNAL, "it has failed"));
        DeviceStream waiting = accelerator.openStream();
        stream.copyToHost(memory.address(), host);
        assertThatExceptionOfType(TransportException.class).isThrownBy(stream::record);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(accelerator::openStream)
                .withMessageContaining("it has failed");
        stream.close();
        waiting.close();
        memory.close();
        pin.close();
        accelerator.close();
        assertThat(accelerator.mistakes()).isEmpty();
    }
}
