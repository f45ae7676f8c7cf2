package io.tensorferry.api;

import java.util.Arrays;

/// The dimensions of a tensor, `[d0, ..., dn-1]`, row-major. Immutable.
///
/// Rank 0 is a scalar. Each dimension is 0 or more, the rank is at most 254 (TensorFlow's limit), and the number of
/// elements fits in a `long`.
public final class Shape {
    /// The largest rank, TensorFlow's limit.
    public static final int MAX_RANK = 254;

    private static final Shape SCALAR = new Shape(new long[0], 1);

    private final long[] dimensions;
    private final long elementCount;

    private Shape(long[] dimensions, long elementCount) {
        this.dimensions = dimensions;
        this.elementCount = elementCount;
    }

    /// The shape of rank 0, with one element.
    public static Shape scalar() {
        return SCALAR;
    }

    /// Creates a shape; without arguments, a scalar.
    ///
    /// @param dimensions outermost first, each 0 or more
    /// @throws IllegalArgumentException if a dimension is negative, the rank exceeds [#MAX_RANK], or the number of
    ///     elements does not fit in a `long`
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
        // A dimension of 0 makes the tensor empty, even if the product of the others would overflow.
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

    /// The number of dimensions, 0 to [#MAX_RANK].
    public int rank() {
        return dimensions.length;
    }

    /// The size of one dimension, 0 or more.
    ///
    /// @param axis 0 is the outermost
    /// @throws IndexOutOfBoundsException if `axis` is not in `[0, rank())`
    public long dimension(int axis) {
        return dimensions[axis];
    }

    /// A copy of the dimensions, outermost first.
    public long[] toArray() {
        return dimensions.clone();
    }

    /// The number of elements, the product of the dimensions: 1 for a scalar, 0 if any dimension is 0.
    public long elementCount() {
        return elementCount;
    }

    /// The size of the elements in memory in bytes, without padding.
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

    /// Formats the dimensions as `[2, 3]`; `[]` for a scalar.
    @Override
    public String toString() {
        return Arrays.toString(dimensions);
    }
}
