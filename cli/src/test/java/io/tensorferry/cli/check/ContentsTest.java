package io.tensorferry.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ContentsTest {
    private static final int BYTES = 5_003;

    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedAccelerator gpu =
            new SimulatedAccelerator(0, time, 1, SimulatedAcceleratorOptions.defaults());

    @AfterEach
    void nothingIsLeft() {
        assertThat(gpu.mistakes()).isEmpty();
        assertThat(gpu.leftOver()).isEmpty();
        gpu.close();
        time.close();
    }

    private Tensor onGpu() {
        DeviceMemory memory = gpu.allocate(BYTES);
        return Tensor.onDevice(DataType.UINT8, Shape.of(BYTES), gpu, memory.address(), memory::close);
    }

    private static byte[] pattern(int seed) {
        try (Arena arena = Arena.ofConfined()) {
            return TestPattern.of(BYTES, seed, arena).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    @Test
    void ofAGpuAreWrittenReadAndErasedByCopies() {
        try (Tensor tensor = onGpu();
                Contents contents = Contents.open(gpu, BYTES)) {
            contents.fill(tensor, 7);
            assertThat(gpu.peek(tensor.address(), BYTES)).isEqualTo(pattern(7));

            gpu.poke(tensor.address(), pattern(8));
            assertThat(contents.of(tensor).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(pattern(8));

            contents.erase(tensor);
            assertThat(gpu.peek(tensor.address(), BYTES)).containsOnly(0);
        }
    }

    @Test
    void ofTheHostAreTheMemoryItself() {
        try (Tensor tensor = TensorAllocator.unregistered().allocate(DataType.UINT8, Shape.of(BYTES));
                Contents contents = Contents.open(Device.HOST, BYTES)) {
            contents.fill(tensor, 7);
            MemorySegment seen = contents.of(tensor);
            assertThat(seen).isEqualTo(tensor.segment());
            assertThat(seen.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(pattern(7));

            contents.erase(tensor);
            assertThat(seen.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
        }
    }

    @Test
    void whoIsInterruptedWaitsForTheCopyAllTheSame() throws Exception {
        gpu.hold();
        var done = new CompletableFuture<Boolean>();
        Thread filling = Thread.ofPlatform().start(() -> {
            try (Tensor tensor = onGpu();
                    Contents contents = Contents.open(gpu, BYTES)) {
                Thread.currentThread().interrupt();
                contents.fill(tensor, 7);
                boolean interrupted = Thread.currentThread().isInterrupted();
                done.complete(interrupted && gpu.peek(tensor.address(), 8)[0] == pattern(7)[0]);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        // A queued copy holds its stream, its event and its pin.
        while (!gpu.leftOver().contains("1 events")) {
            assertThat(filling.isAlive()).isTrue();
            assertThat(Thread.interrupted()).isFalse();
            Thread.onSpinWait();
        }
        assertThat(done).isNotDone();
        gpu.release();
        assertThat(done.get(20, TimeUnit.SECONDS)).isTrue();
        filling.join();
    }
}
