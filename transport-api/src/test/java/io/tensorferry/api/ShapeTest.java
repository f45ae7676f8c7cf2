package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.testing.Draw;
import io.tensorferry.testing.Property;
import java.math.BigInteger;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class ShapeTest {
    private static final BigInteger LARGEST = BigInteger.valueOf(Long.MAX_VALUE);

    /// Small, huge, and around the powers of two where a product of 64 bits wraps.
    private static long[] dimensions(Draw draw) {
        return draw.longs(
                8,
                () -> draw.oneOf(
                        () -> draw.longOf(0, 10),
                        () -> draw.longOf(0, Long.MAX_VALUE),
                        () -> (1L << draw.intOf(0, 62)) + 1,
                        () -> 1L << draw.intOf(0, 62)));
    }

    private static BigInteger product(long[] dimensions) {
        return Arrays.stream(dimensions).mapToObj(BigInteger::valueOf).reduce(BigInteger.ONE, BigInteger::multiply);
    }

    @Test
    void elementsAreCountedExactlyOrTheShapeIsRefused() {
        Property.check(1000, draw -> {
            long[] dimensions = dimensions(draw);
            BigInteger exact = product(dimensions);
            if (exact.compareTo(LARGEST) > 0) {
                assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(dimensions));
            } else {
                assertThat(Shape.of(dimensions).elementCount()).isEqualTo(exact.longValueExact());
            }
        });
    }

    @Test
    void bytesAreCountedExactlyOrRefused() {
        Property.check(1000, draw -> assertBytesAreCountedExactlyOrRefused(dimensions(draw), draw.of(DataType.class)));
    }

    private static void assertBytesAreCountedExactlyOrRefused(long[] dimensions, DataType type) {
        if (product(dimensions).compareTo(LARGEST) > 0) {
            return;
        }
        Shape shape = Shape.of(dimensions);
        BigInteger exact = product(dimensions).multiply(BigInteger.valueOf(type.byteSize()));
        if (!type.isDmaAble() || exact.compareTo(LARGEST) > 0) {
            assertThatIllegalArgumentException().isThrownBy(() -> shape.byteSize(type));
        } else {
            assertThat(shape.byteSize(type)).isEqualTo(exact.longValueExact());
        }
    }

    @Test
    void aShapeIsItsDimensions() {
        Property.check(1000, draw -> assertAShapeIsItsDimensions(dimensions(draw)));
    }

    private static void assertAShapeIsItsDimensions(long[] dimensions) {
        if (product(dimensions).compareTo(LARGEST) > 0) {
            return;
        }
        Shape shape = Shape.of(dimensions);
        assertThat(shape.rank()).isEqualTo(dimensions.length);
        assertThat(shape.toArray()).isEqualTo(dimensions);
        for (int axis = 0; axis < dimensions.length; axis++) {
            assertThat(shape.dimension(axis)).isEqualTo(dimensions[axis]);
        }
        assertThat(Shape.of(shape.toArray())).isEqualTo(shape).hasSameHashCodeAs(shape);
        assertThat(shape).hasToString(Arrays.toString(dimensions));
    }

    @Test
    void aScalarHasOneElement() {
        assertThat(Shape.scalar().rank()).isZero();
        assertThat(Shape.scalar().elementCount()).isEqualTo(1);
        assertThat(Shape.of()).isSameAs(Shape.scalar()).hasToString("[]");
        assertThat(Shape.scalar().byteSize(DataType.COMPLEX128)).isEqualTo(16);
    }

    @Test
    void aZeroMakesTheTensorEmptyHoweverLargeTheOthersAre() {
        assertThat(Shape.of(Long.MAX_VALUE, Long.MAX_VALUE, 0).elementCount()).isZero();
        assertThat(Shape.of(0, Long.MAX_VALUE, 3).byteSize(DataType.DOUBLE)).isZero();
    }

    @Test
    void sizesOverFourGibibytesAreCounted() {
        assertThat(Shape.of(1 << 20, 1 << 20).byteSize(DataType.FLOAT)).isEqualTo(1L << 42);
    }

    @Test
    void theLargestShapesFitAndOneMoreDoesNot() {
        assertThat(Shape.of(Long.MAX_VALUE).byteSize(DataType.BOOL)).isEqualTo(Long.MAX_VALUE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Shape.of(1L << 62).byteSize(DataType.HALF))
                .withMessageContaining("HALF");
        assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(1L << 62, 2));
        assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(1L << 32, 1L << 32));
    }

    @Test
    void negativeDimensionsAndTooHighRanksAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Shape.of(2, -1))
                .withMessageContaining("dimension 1 of [2, -1] is negative");
        assertThatIllegalArgumentException().isThrownBy(() -> Shape.of(0, Long.MIN_VALUE));
        assertThat(Shape.of(new long[Shape.MAX_RANK]).rank()).isEqualTo(254);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Shape.of(new long[Shape.MAX_RANK + 1]))
                .withMessageContaining("255");
    }

    @Test
    void aShapeCannotBeChangedFromOutside() {
        long[] dimensions = {2, 3};
        Shape shape = Shape.of(dimensions);
        dimensions[0] = 5;
        shape.toArray()[1] = 7;
        assertThat(shape).isEqualTo(Shape.of(2, 3)).isNotEqualTo(Shape.of(3, 2));
    }
}
