package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/// A tensor whose memory the processor cannot access.
class DeviceTensorTest {
    private static final long ADDRESS = 1L << 60;
    private static final RendezvousKey KEY = RendezvousKey.parse(
            "/job:a/replica:0/task:0/device:GPU:1;0000000000000001;" + "/job:a/replica:0/task:1/device:GPU:1;edge;0:0");

    private final NamedAccelerator device = new NamedAccelerator("GPU", 1);
    private final AtomicInteger freed = new AtomicInteger();

    private Tensor tensor() {
        return Tensor.onDevice(DataType.FLOAT, Shape.of(2, 3), device, ADDRESS, freed::incrementAndGet);
    }

    @Test
    void itSaysWhereItIsAndHowLong() {
        try (Tensor tensor = tensor();
                Tensor shared = tensor.share()) {
            for (Tensor each : List.of(tensor, shared)) {
                assertThat(each.device()).isSameAs(device);
                assertThat(each.address()).isEqualTo(ADDRESS);
                assertThat(each.byteSize()).isEqualTo(24);
                assertThat(each).hasToString("Tensor[FLOAT [2, 3], 24 bytes on GPU:1]");
            }
        }
        assertThat(freed).hasValue(1);
    }

    @Test
    void aTensorOfTheHostHasItsSegmentsAddress() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(4);
            Tensor tensor = Tensor.wrap(DataType.INT32, Shape.of(), segment, () -> {});
            assertThat(tensor.address()).isEqualTo(segment.address());
            assertThat(tensor.device().index()).isZero();
            tensor.close();
            assertThatIllegalStateException().isThrownBy(tensor::address);
        }
    }

    @Test
    void whatTheProcessorCannotReachIsNotRead() {
        try (Tensor tensor = tensor()) {
            assertThatThrownBy(tensor::segment)
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("on GPU:1")
                    .hasMessageContaining("DeviceStream");
            assertThatThrownBy(tensor::asByteBuffer).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(tensor::toFloatArray).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void stringsAreInHostMemory() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tensor.onDevice(DataType.STRING, Shape.of(1), device, ADDRESS, () -> {}))
                .withMessageContaining("STRING");
        TensorAllocator allocator = new TensorAllocator() {
            @Override
            public Device device() {
                return device;
            }

            @Override
            public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
                throw new AssertionError("nothing is to be allocated");
            }
        };
        assertThatThrownBy(() -> allocator.allocateStrings(Shape.of(1), List.of(new byte[1])))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("GPU:1");
        assertThat(TensorAllocator.unregistered().device()).isSameAs(Device.HOST);
    }

    @Test
    void theMemoryOwnsTheEventThatSaysWhenTheContentIsThere() {
        var first = new CountedEvent();
        var second = new CountedEvent();
        Tensor tensor = tensor();
        assertThat(tensor.readyEvent()).isNull();
        assertThat(tensor.readyAfter(first)).isSameAs(tensor);
        Tensor shared = tensor.share();
        assertThat(shared.readyEvent()).isSameAs(first);
        shared.readyAfter(second);
        assertThat(first.closed).hasValue(1);
        tensor.readyAfter(second);
        assertThat(second.closed).as("set twice, and still in use").hasValue(0);
        assertThat(tensor.readyEvent()).isSameAs(second);
        tensor.close();
        assertThat(second.closed).hasValue(0);
        shared.close();
        assertThat(second.closed).hasValue(1);
        assertThat(freed).hasValue(1);
        var late = new CountedEvent();
        assertThatIllegalStateException().isThrownBy(() -> tensor.readyAfter(late));
        assertThat(late.closed).hasValue(0);
    }

    @Test
    void theMemoryIsFreedEvenIfTheEventCannotBeClosed() {
        Tensor tensor = tensor();
        tensor.readyAfter(new CountedEvent() {
            @Override
            public void close() {
                // The failure is logged.
                throw new IllegalStateException("the device is gone");
            }
        });
        tensor.close();
        assertThat(freed).hasValue(1);
    }

    @Test
    void aRendezvousThatKnowsNoDevicesTakesTheDeadlineAlone() {
        var rendezvous = new ManualRendezvous();
        ReceiveOptions options = ReceiveOptions.defaults();
        assertThatThrownBy(() -> rendezvous.recvAsync(KEY, options.into(TensorAllocator.unregistered())))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("does not support an allocator");
        assertThat(rendezvous.isAsked()).isFalse();
        var _ = rendezvous.recvAsync(
                KEY, options.withTimeout(Duration.ofSeconds(3)).withDelivery(Delivery.QUEUED));
        assertThat(rendezvous.timeout).isEqualTo(Duration.ofSeconds(3));
        assertThat(rendezvous.isAsked()).isTrue();
    }

    @Test
    void withoutADeadlineNoneIsGiven() {
        var rendezvous = new ManualRendezvous();
        var _ = rendezvous.recvAsync(KEY, ReceiveOptions.defaults());
        assertThat(rendezvous.isAsked()).isTrue();
        assertThat(rendezvous.timeout).isNull();
    }

    private static class CountedEvent implements DeviceEvent {
        private final AtomicInteger closed = new AtomicInteger();

        @Override
        public boolean isReached() {
            return false;
        }

        @Override
        public void await() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    /// An accelerator that has only a name.
    private record NamedAccelerator(String type, int index) implements Accelerator {
        @Override
        public String description() {
            return toString();
        }

        @Override
        public DeviceMemory allocate(long bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public DeviceStream openStream() {
            throw new UnsupportedOperationException();
        }

        @Override
        public HostPin pin(MemorySegment hostMemory) {
            throw new UnsupportedOperationException();
        }

        @Override
        public DmaBuf export(long address, long bytes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public NicWrites nicWrites() {
            return NicWrites.UNUSABLE;
        }

        @Override
        public void flushNicWrites() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            // Nothing is open.
        }

        @Override
        public String toString() {
            return type + ":" + index;
        }
    }
}
