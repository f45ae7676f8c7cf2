package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class TensorAllocatorTest {
    private final TensorAllocator allocator = TensorAllocator.unregistered();

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "STRING")
    void unregisteredMemoryIsAlignedAndHasTheBytesOfTheShape(DataType type) {
        try (Tensor tensor = allocator.allocate(type, Shape.of(3, 5))) {
            assertThat(tensor.byteSize()).isEqualTo(15L * type.byteSize());
            assertThat(tensor.segment().address() % 64).isZero();
            assertThat(tensor.segment().isNative()).isTrue();
            assertThat(tensor.device()).isSameAs(Device.HOST);
        }
    }

    @Test
    void anEmptyTensorIsATensor() {
        try (Tensor tensor = allocator.allocate(DataType.FLOAT, Shape.of(0))) {
            assertThat(tensor.byteSize()).isZero();
            assertThat(tensor.toFloatArray()).isEmpty();
        }
    }

    @Test
    void sizesThatMakeNoSenseAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> allocator.allocate(DataType.STRING, Shape.of(1), -1))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.allocate(DataType.FLOAT, Shape.of(2), 4));
        assertThatIllegalArgumentException().isThrownBy(() -> allocator.allocate(DataType.STRING, Shape.of(2)));
    }

    @Test
    void memoryThatDoesNotExistIsExhaustion() {
        assertThatThrownBy(() -> allocator.allocate(DataType.INT8, Shape.of(1L << 60)))
                .asInstanceOf(InstanceOfAssertFactories.type(TransportException.class))
                .returns(StatusCode.RESOURCE_EXHAUSTED, TransportException::code)
                .extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING)
                .contains("1152921504606846976 bytes", "-XX:MaxDirectMemorySize");
    }

    /// An allocator whose memory is too small for the elements.
    @Test
    void aStringTensorThatCannotBeWrittenIsClosed() {
        var made = new AtomicReference<Tensor>();
        TensorAllocator tooSmall = (type, shape, byteSize) -> {
            made.set(allocator.allocate(type, shape, byteSize - 1));
            return made.get();
        };
        assertThatThrownBy(() -> tooSmall.allocateStrings(Shape.of(1), List.of(new byte[4])))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(made.get().isClosed()).isTrue();
    }
}
