package io.tensorferry.api;

import java.util.Arrays;

/// The dimensions of a tensor, `[d0, ..., dn-1]`, row-major; rank 0 is a scalar. Immutable.
///
/// Dimensions are 0 or more, the rank is at most 254 (TensorFlow's limit), and the number of elements fits in a
/// `long`: a shape that overflows cannot be made.
public final class Shape {
    public static final int MAX_RANK = 254;

    private static final Shape SCALAR = new Shape(new long[0], 1);

    private final long[] dimensions;
    private final long elementCount;

    private Shape(long[] dimensions, long elementCount) {
        this.dimensions = dimensions;
        this.elementCount = elementCount;
    }

    public static Shape scalar() {
        return SCALAR;
    }

    /// @throws IllegalArgumentException for a negative dimension, a rank over [#MAX_RANK], or more than
    ///     `Long.MAX_VALUE` elements
    public static Shape of(long... dimensions) {
        if (dimensions.length == 0) {
            return SCALAR;
        }
        if (dimensions.length > MAX_RANK) {
            throw new IllegalArgumentException("rank " + dimensions.length + " is over the limit of " + MAX_RANK);
        }
        long[] copy = dimensions.clone();
        return new Shape(copy, countElements(copy));
    }

    private static long countElements(long[] dimensions) {
        boolean empty = false;
        for (int i = 0; i < dimensions.length; i++) {
            if (dimensions[i] < 0) {
                throw new IllegalArgumentException(
                        "dimension " + i + " of " + Arrays.toString(dimensions) + " is negative; it must be 0 or more");
            }
            empty |= dimensions[i] == 0;
        }
        // A zero anywhere makes the tensor empty, however large the other dimensions are.
        if (empty) {
            return 0;
        }
        long count = 1;
        for (long dimension : dimensions) {
            if (Math.multiplyHigh(count, dimension) != 0 || count * dimension < 0) {
                throw new IllegalArgumentException(
                        "the number of elements of " + Arrays.toString(dimensions) + " does not fit in 63 bits");
            }
            count *= dimension;
        }
        return count;
    }

    public int rank() {
        return dimensions.length;
    }

    /// @throws IndexOutOfBoundsException if `axis` is not in `[0, rank())`
    public long dimension(int axis) {
        return dimensions[axis];
    }

    /// A copy of the dimensions, outermost first.
    public long[] toArray() {
        return dimensions.clone();
    }

    /// The product of the dimensions: 1 for a scalar, 0 if any dimension is 0.
    public long elementCount() {
        return elementCount;
    }

    /// Bytes that the elements take in memory, row-major and without padding.
    ///
    /// @throws IllegalArgumentException if `dataType` has no fixed element size, or the product does not fit in a
    ///     `long`
    public long byteSize(DataType dataType) {
        if (!dataType.isDmaAble()) {
            throw new IllegalArgumentException("the elements of " + dataType + " have no fixed size");
        }
        long size = elementCount * dataType.byteSize();
        if (Math.multiplyHigh(elementCount, dataType.byteSize()) != 0 || size < 0) {
            throw new IllegalArgumentException(
                    "the bytes of a " + dataType + " tensor of shape " + this + " do not fit in 63 bits");
        }
        return size;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shape that && Arrays.equals(dimensions, that.dimensions);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(dimensions);
    }

    /// As `[2, 3]`; `[]` for a scalar.
    @Override
    public String toString() {
        return Arrays.toString(dimensions);
    }
}
