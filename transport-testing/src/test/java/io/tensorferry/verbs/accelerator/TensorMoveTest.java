package io.tensorferry.verbs.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DataType;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
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
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Moves in real time, with the threads of a server.
@Timeout(60)
class TensorMoveTest {
    private static final int PIECE = 4096;

    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedAccelerator one = gpu(0);
    private final SimulatedAccelerator other = gpu(1);
    private final ProtectionDomain domain = DeviceChoice.choose(
                    RdmaConfig.builder().build(), List.of(new SimulatedFabric(1).provider("node")))
            .device()
            .allocateProtectionDomain();
    private final RegisteredMemory memory = new RegisteredMemory(domain, MemoryOptions.defaults());
    private final ExecutorService loop = Executors.newSingleThreadExecutor();
    private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();
    private final Accelerators accelerators = Accelerators.open(
            List.of(one, other),
            memory,
            AcceleratorOptions.defaults().withPieces(PIECE, 2).withProxyBytes(64 << 10),
            loop,
            workers,
            AcceleratorUnit::ownThread);

    private SimulatedAccelerator gpu(int index) {
        return new SimulatedAccelerator(index, time, 3, SimulatedAcceleratorOptions.defaults());
    }

    @AfterEach
    void nothingIsLeft() {
        memory.close();
        workers.close();
        loop.close();
        for (SimulatedAccelerator each : List.of(one, other)) {
            assertThat(each.leftOver()).isEmpty();
            assertThat(each.mistakes()).isEmpty();
            each.close();
        }
        time.close();
        domain.close();
    }

    private TensorAllocator on(Accelerator device) {
        AcceleratorUnit unit = accelerators.of(device);
        assertThat(unit).isNotNull();
        return unit.allocator();
    }

    private Tensor move(Tensor tensor, TensorAllocator to) {
        var moved = new CompletableFuture<Tensor>();
        accelerators.move(tensor, to, TensorAllocator.unregistered(), "peer", new MoveEnd() {
            @Override
            public void onMoved(Tensor there) {
                moved.complete(there);
            }

            @Override
            public void onFailed(TransportException cause) {
                moved.completeExceptionally(cause);
            }
        });
        return moved.join();
    }

    private void assertFails(Tensor tensor, TensorAllocator to, StatusCode code) {
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> move(tensor, to))
                .havingCause()
                .isInstanceOfSatisfying(
                        TransportException.class, e -> assertThat(e.code()).isEqualTo(code));
        assertThat(tensor.isClosed()).isTrue();
    }

    private static Tensor bytes(byte[] content) {
        Tensor tensor = TensorAllocator.unregistered().allocate(DataType.UINT8, Shape.of(content.length));
        tensor.segment().copyFrom(MemorySegment.ofArray(content));
        return tensor;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE + 3})
    void aContentGoesToOneAcceleratorToTheOtherAndBack(int size) {
        var content = new byte[size];
        new Random(size).nextBytes(content);
        Tensor sent = bytes(content);

        Tensor there = move(sent, on(one));
        assertThat(sent.isClosed()).isTrue();
        assertThat(there.device()).isSameAs(one);
        Tensor beyond = move(there, on(other));
        // The copy thread does so soon after.
        while (!there.isClosed()) {
            assertThat(Thread.interrupted()).isFalse();
            Thread.onSpinWait();
        }
        assertThat(beyond.device()).isSameAs(other);
        if (size > 0) {
            assertThat(other.peek(beyond.address(), size)).isEqualTo(content);
        }
        try (Tensor back = move(beyond, TensorAllocator.unregistered())) {
            assertThat(back.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(content);
            assertThat(back.shape()).isEqualTo(Shape.of(size));
        }
    }

    @Test
    void whatIsNotThereYetIsWaitedForWithoutAProxy() {
        try (DeviceStream producer = one.openStream()) {
            one.hold();
            Tensor late = on(one).allocate(DataType.UINT8, Shape.of(PIECE));
            Tensor source = move(bytes(new byte[] {1}), on(other));
            source.close();
            producer.copy(late.address(), late.address(), PIECE);
            DeviceEvent ready = producer.record();
            var moved = CompletableFuture.supplyAsync(
                    () -> move(late.readyAfter(ready), TensorAllocator.unregistered()), workers);
            Tensor passing = move(bytes(new byte[] {2}), on(other));
            passing.close();
            assertThat(moved).isNotDone();
            assertThat(accelerators.statistics().getFirst().sendProxyBytes()).isZero();
            one.release();
            moved.join().close();
        }
    }

    @Test
    void whereThereIsNoMemoryTheTensorIsGivenBack() {
        TensorAllocator full = new TensorAllocator() {
            @Override
            public Device device() {
                return one;
            }

            @Override
            public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
                throw new TransportException(StatusCode.RESOURCE_EXHAUSTED, "full, on purpose");
            }
        };
        assertFails(bytes(new byte[1]), full, StatusCode.RESOURCE_EXHAUSTED);
    }

    @Test
    void aDeviceThatFailsLosesWhatItMayStillReachAndNothingElse() {
        Tensor there = move(bytes(new byte[3 * PIECE]), on(one));
        one.failNextCopy(new TransportException(StatusCode.INTERNAL, "failed, on purpose"));
        assertThatExceptionOfType(CompletionException.class)
                .isThrownBy(() -> move(there, TensorAllocator.unregistered()))
                .withMessageContaining("on purpose");
        there.close();
        assertThat(accelerators.statistics().getFirst().sendProxyBytes()).isZero();
        assertFails(bytes(new byte[1]), on(one), StatusCode.INTERNAL);
        move(bytes(new byte[1]), on(other)).close();
    }
}
