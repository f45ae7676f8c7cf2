package io.tensorferry.verbs.placement;

import io.tensorferry.api.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/// The part of a tensor's shape that is known before the first step. Immutable.
public sealed interface EdgeShape {
    /// Marks a dimension that differs from step to step, as in TensorFlow's partial shapes.
    long UNKNOWN_DIMENSION = -1;

    /// Every dimension is known.
    record Known(Shape shape) implements EdgeShape {
        /// As `[2, 3]`.
        @Override
        public String toString() {
            return shape.toString();
        }
    }

    /// The rank is known, but not all dimensions.
    ///
    /// @param dimensions each 0 or more, or [#UNKNOWN_DIMENSION]; at least one is unknown
    record Partial(List<Long> dimensions) implements EdgeShape {
        /// @throws IllegalArgumentException if a dimension is below -1, none is -1, or the rank is over
        ///     [Shape#MAX_RANK]
        public Partial {
            dimensions = List.copyOf(dimensions);
            if (dimensions.size() > Shape.MAX_RANK) {
                throw new IllegalArgumentException(
                        "rank " + dimensions.size() + " is over the limit of " + Shape.MAX_RANK);
            }
            for (int axis = 0; axis < dimensions.size(); axis++) {
                if (dimensions.get(axis) < UNKNOWN_DIMENSION) {
                    throw new IllegalArgumentException("dimension " + axis + " of " + dimensions
                            + " must be 0 or more, or -1 where it is not known");
                }
            }
            if (!dimensions.contains(UNKNOWN_DIMENSION)) {
                throw new IllegalArgumentException(
                        "every dimension of " + dimensions + " is known; -1 stands for one" + " that is not");
            }
        }

        /// The first axis whose dimension is not known.
        public int firstUnknownAxis() {
            return dimensions.indexOf(UNKNOWN_DIMENSION);
        }

        /// As `[?, 3]`.
        @Override
        public String toString() {
            return dimensions.stream()
                    .map(dimension -> dimension == UNKNOWN_DIMENSION ? "?" : dimension.toString())
                    .collect(Collectors.joining(", ", "[", "]"));
        }
    }

    /// Not even the rank is known.
    record Unknown() implements EdgeShape {
        /// The text that follows the data type in reports.
        @Override
        public String toString() {
            return "of unknown shape";
        }
    }

    /// Returns a shape of these dimensions, outermost first; -1 marks an unknown dimension. No dimensions at all make a
    /// scalar.
    ///
    /// @throws IllegalArgumentException if a dimension is below -1, the rank is over [Shape#MAX_RANK], or all are known
    ///     and there are more than `Long.MAX_VALUE` elements
    static EdgeShape of(long... dimensions) {
        return Arrays.stream(dimensions).allMatch(dimension -> dimension >= 0)
                ? new Known(Shape.of(dimensions))
                : new Partial(Arrays.stream(dimensions).boxed().toList());
    }

    /// Returns a shape of which nothing is known.
    static EdgeShape unknown() {
        return new Unknown();
    }
}
