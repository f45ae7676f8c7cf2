package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorferry.testing.Property;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class StringTensorTest {
    private static final ValueLayout.OfLong OFFSET = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static Tensor of(String... elements) {
        List<byte[]> bytes = List.of(elements).stream()
                .map(element -> element.getBytes(StandardCharsets.UTF_8))
                .toList();
        return TensorAllocator.unregistered().allocateStrings(Shape.of(elements.length), bytes);
    }

    @Test
    void stringsAreOffsetsAndThenBytes() {
        try (Tensor tensor = of("ab", "", "ç")) {
            assertThat(tensor.byteSize()).isEqualTo(4 * 8 + 4);
            assertThat(tensor.segment().getAtIndex(OFFSET, 0)).isZero();
            assertThat(tensor.segment().getAtIndex(OFFSET, 1)).isEqualTo(2);
            assertThat(tensor.segment().getAtIndex(OFFSET, 2)).isEqualTo(2);
            assertThat(tensor.segment().getAtIndex(OFFSET, 3)).isEqualTo(4);
            assertThat(tensor.toStrings())
                    .containsExactly(new byte[] {'a', 'b'}, new byte[0], new byte[] {(byte) 0xC3, (byte) 0xA7});
        }
    }

    @Test
    void whatIsWrittenIsRead() {
        Property.check(300, draw -> {
            List<byte[]> elements = draw.list(0, 30, () -> draw.bytes(255));
            try (Tensor tensor = TensorAllocator.unregistered().allocateStrings(Shape.of(elements.size()), elements)) {
                assertThat(tensor.toStrings()).containsExactlyElementsOf(elements);
            }
        });
    }

    @Test
    void theNumberOfElementsIsThatOfTheShape() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TensorAllocator.unregistered().allocateStrings(Shape.of(2), List.of(new byte[0])))
                .withMessageContaining("takes 2 elements, not 1");
    }

    @Test
    void aTensorWithoutElementsNeedsNoMemory() {
        try (Tensor tensor = Tensor.wrap(DataType.STRING, Shape.of(0), MemorySegment.NULL, () -> {})) {
            assertThat(tensor.toStrings()).isEmpty();
        }
    }

    private static void assertCorrupt(int index, long offset, String message) {
        try (Tensor tensor = of("ab", "cde")) {
            tensor.segment().setAtIndex(OFFSET, index, offset);
            assertThatIllegalStateException()
                    .isThrownBy(tensor::toStrings)
                    .withMessageContaining("corrupt")
                    .withMessageContaining(message);
        }
    }

    @Test
    void offsetsThatPointOutsideTheMemoryAreAnError() {
        assertCorrupt(0, -1, "element 0 is at [-1, 2) of 5 bytes");
        assertCorrupt(0, Long.MIN_VALUE, "element 0");
        assertCorrupt(0, 3, "element 0 is at [3, 2)");
        assertCorrupt(1, 6, "element 0 is at [0, 6)");
        assertCorrupt(1, -2, "element 0");
        assertCorrupt(2, 6, "element 1 is at [2, 6)");
        assertCorrupt(2, Long.MAX_VALUE, "element 1");
        assertCorrupt(2, 0, "element 1 is at [2, 0)");
    }

    @Test
    void aShapeWithMoreElementsThanTheMemoryHasOffsetsIsAnError() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(20);
            for (long count : new long[] {2, 1L << 40, Long.MAX_VALUE}) {
                try (Tensor tensor = Tensor.wrap(DataType.STRING, Shape.of(count), memory, () -> {})) {
                    assertThatIllegalStateException()
                            .isThrownBy(tensor::toStrings)
                            .withMessageContaining("only 20 bytes");
                }
            }
        }
    }
}
