package io.tensorferry.verbs.placement;

/// What a plan may count on. Both ends of an edge must plan with the same options.
///
/// @param steps whether steps overlap
/// @param alignment what every offset is a multiple of, and every place's size is rounded up to: a power of two from
///     [#SMALLEST_ALIGNMENT] to [#LARGEST_ALIGNMENT]. The memory that the plan is for must begin at a multiple of it
/// @param largestStaticBytes bytes of the largest tensor that gets a place of its own, 0 or more; [#UNLIMITED] for no
///     limit. A static tensor's memory stays registered for the whole computation, whether it is in use or not
public record PlacementOptions(StepOrder steps, long alignment, long largestStaticBytes) {
    /// A [#largestStaticBytes] that is never reached.
    public static final long UNLIMITED = Long.MAX_VALUE;

    /// That of the largest number that an element consists of.
    public static final long SMALLEST_ALIGNMENT = 8;

    /// A huge page.
    public static final long LARGEST_ALIGNMENT = 2L << 20;

    private static final long CACHE_LINE = 64;

    /// @throws IllegalArgumentException if a value is out of its range
    public PlacementOptions {
        if (Long.bitCount(alignment) != 1 || alignment < SMALLEST_ALIGNMENT || alignment > LARGEST_ALIGNMENT) {
            throw new IllegalArgumentException("alignment " + alignment + " is not a power of two from "
                    + SMALLEST_ALIGNMENT + " to " + LARGEST_ALIGNMENT);
        }
        if (largestStaticBytes < 0) {
            throw new IllegalArgumentException("largestStaticBytes " + largestStaticBytes + " is not 0 or more");
        }
    }

    /// What is safe for every caller: steps may overlap, so nothing is shared; cache lines of 64 bytes; no limit.
    public static PlacementOptions defaults() {
        return new PlacementOptions(StepOrder.OVERLAPPING, CACHE_LINE, UNLIMITED);
    }

    /// The same, with another [#steps].
    public PlacementOptions withSteps(StepOrder order) {
        return new PlacementOptions(order, alignment, largestStaticBytes);
    }

    /// The same, with another [#alignment].
    ///
    /// @throws IllegalArgumentException if it is out of its range
    public PlacementOptions withAlignment(long bytes) {
        return new PlacementOptions(steps, bytes, largestStaticBytes);
    }

    /// The same, with another [#largestStaticBytes].
    ///
    /// @throws IllegalArgumentException if it is negative
    public PlacementOptions withLargestStaticBytes(long bytes) {
        return new PlacementOptions(steps, alignment, bytes);
    }
}
