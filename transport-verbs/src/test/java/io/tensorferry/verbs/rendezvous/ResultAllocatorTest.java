package io.tensorferry.verbs.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The possible results of a user's allocator.
@Timeout(20)
class ResultAllocatorTest {
    private static final TensorAllocator OWN = (_, _, _) -> {
        throw new AssertionError("another allocator was given");
    };

    private static final class NeverReached implements DeviceEvent {
        @Override
        public boolean isReached() {
            return false;
        }

        @Override
        public void await() {
            throw new AssertionError("nobody waits for memory");
        }

        @Override
        public void close() {}
    }

    private static TensorAllocator of(TensorAllocator given) {
        return ResultAllocator.of(ReceiveOptions.defaults().into(given), OWN);
    }

    private static TransportException failure(TensorAllocator given) {
        try {
            of(given).allocate(DataType.INT32, Shape.of(2));
        } catch (TransportException e) {
            return e;
        }
        throw new AssertionError("a tensor was made");
    }

    @Test
    void theTransportsOwnServesWhereNoneWasGiven() {
        assertThat(ResultAllocator.of(ReceiveOptions.defaults(), OWN)).isSameAs(OWN);
        assertThat(of(OWN)).isSameAs(OWN);
    }

    @Test
    void aTensorAsItWasAskedForIsHandedOn() {
        try (Tensor tensor = of(TensorAllocator.unregistered()).allocate(DataType.INT32, Shape.of(2))) {
            assertThat(tensor.shape()).isEqualTo(Shape.of(2));
        }
    }

    @Test
    void whatIsThrownKeepsItsCodeOrIsInternal() {
        var full = new TransportException(StatusCode.UNAVAILABLE, "closed");
        assertThat(failure((_, _, _) -> {
                    throw full;
                }))
                .isSameAs(full);
        var broken = new IllegalArgumentException("broken");
        TransportException failure = failure((_, _, _) -> {
            throw broken;
        });
        assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(failure).hasCause(broken).hasMessageContaining("broken");
    }

    @Test
    void noMemoryIsExhaustion() {
        var none = new OutOfMemoryError("none left, on purpose");
        TransportException failure = failure((_, _, _) -> {
            throw none;
        });
        assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThat(failure).hasCause(none);
    }

    @Test
    void anErrorIsInternalAndWhatWasMadeIsClosedWhateverItsReleaseThrows() {
        var missing = new NoClassDefFoundError("a library is missing, on purpose");
        TransportException unlinked = failure((_, _, _) -> {
            throw missing;
        });
        assertThat(unlinked.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(unlinked).hasCause(missing);

        var released = new AtomicInteger();
        TransportException wrong = failure((dataType, _, _) -> {
            Tensor other = TensorAllocator.unregistered().allocate(dataType, Shape.of(3));
            return Tensor.wrap(dataType, Shape.of(3), other.segment(), () -> {
                other.close();
                released.incrementAndGet();
                throw new AssertionError("the release fails, on purpose");
            });
        });
        assertThat(wrong.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(released).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"shape", "type", "read-only", "awaited"})
    void aTensorThatWasNotAskedForIsClosed(String what) {
        var made = new Tensor[1];
        TransportException failure = failure((dataType, shape, bytes) -> {
            TensorAllocator plain = TensorAllocator.unregistered();
            made[0] = switch (what) {
                case "shape" -> plain.allocate(dataType, Shape.of(3));
                case "type" -> plain.allocate(DataType.FLOAT, shape);
                case "awaited" -> plain.allocate(dataType, shape, bytes).readyAfter(new NeverReached());
                default -> {
                    Tensor writable = plain.allocate(dataType, shape, bytes);
                    yield Tensor.wrap(dataType, shape, writable.segment().asReadOnly(), writable::close);
                }
            };
            return made[0];
        });
        assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(made[0].isClosed()).isTrue();
    }

    @Test
    void aTensorThatIsClosedIsNoResult() {
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> of((dataType, shape, bytes) -> {
                            Tensor closed = TensorAllocator.unregistered().allocate(dataType, shape, bytes);
                            closed.close();
                            return closed;
                        })
                        .allocate(DataType.INT32, Shape.of(2)))
                .withMessageContaining("closed");
    }
}
