package io.tensorferry.verbs.placement;

/// The assumptions and limits of a plan. Both ends of an edge must plan with equal options.
///
/// @param steps whether steps overlap
/// @param alignment every offset is a multiple of it, and every place's size is rounded up to it: a power of two from
///     [#SMALLEST_ALIGNMENT] to [#LARGEST_ALIGNMENT]. The planned memory must begin at a multiple of it
/// @param largestStaticBytes the size of the largest tensor that may be static, in bytes, 0 or more; [#UNLIMITED] for
///     no limit. A static tensor's memory stays registered for the whole computation, even when it is not in use
public record PlacementOptions(StepOrder steps, long alignment, long largestStaticBytes) {
    /// Disables the limit [#largestStaticBytes].
    public static final long UNLIMITED = Long.MAX_VALUE;

    /// The alignment of the largest number that an element consists of.
    public static final long SMALLEST_ALIGNMENT = 8;

    /// The size of a huge page.
    public static final long LARGEST_ALIGNMENT = 2L << 20;

    private static final long CACHE_LINE = 64;

    /// @throws IllegalArgumentException if a value is out of range
    public PlacementOptions {
        if (Long.bitCount(alignment) != 1 || alignment < SMALLEST_ALIGNMENT || alignment > LARGEST_ALIGNMENT) {
            throw new IllegalArgumentException("alignment " + alignment + " must be a power of two from "
                    + SMALLEST_ALIGNMENT + " to " + LARGEST_ALIGNMENT);
        }
        if (largestStaticBytes < 0) {
            throw new IllegalArgumentException("largestStaticBytes " + largestStaticBytes + " must be 0 or more");
        }
    }

    /// Options that are safe for every caller: steps may overlap, so no bytes are shared; cache lines of 64 bytes; no
    /// limit.
    public static PlacementOptions defaults() {
        return new PlacementOptions(StepOrder.OVERLAPPING, CACHE_LINE, UNLIMITED);
    }

    /// Returns these options with another [#steps].
    public PlacementOptions withSteps(StepOrder order) {
        return new PlacementOptions(order, alignment, largestStaticBytes);
    }

    /// Returns these options with another [#alignment].
    ///
    /// @throws IllegalArgumentException if it is out of range
    public PlacementOptions withAlignment(long bytes) {
        return new PlacementOptions(steps, bytes, largestStaticBytes);
    }

    /// Returns these options with another [#largestStaticBytes].
    ///
    /// @throws IllegalArgumentException if it is negative
    public PlacementOptions withLargestStaticBytes(long bytes) {
        return new PlacementOptions(steps, alignment, bytes);
    }
}
