package io.tensorferry.verbs.config;

import java.time.Duration;

/// Limits and slab sizes of registered memory. Immutable.
///
/// @param slabBytes bytes of one slab, which is registered as a whole; a multiple of 64, 4,096 or more. A larger
///     request gets a slab to itself
/// @param maximumBytes maximum bytes of all slabs together, 1 or more. [#UNLIMITED] disables the limit: an allocation
///     that exceeds the machine's memory may then succeed, and the process be killed when it touches the pages. Memory
///     registered by users does not count
/// @param waitAtLimit how long an allocation that would exceed `maximumBytes` waits for memory to be released before it
///     fails, at most 1 day; 0 fails at once. The calling thread waits: a user thread that allocates a tensor, or a
///     worker thread. The transport's loop never waits, and neither does a call to receive or send
/// @param idleBytes maximum bytes of released slabs of single larger requests that are kept for reuse, 0 or more. The
///     slabs that have been idle longest are freed first, and all are freed before an allocation fails
public record MemoryOptions(long slabBytes, long maximumBytes, Duration waitAtLimit, long idleBytes) {
    /// A [#maximumBytes] without a limit.
    public static final long UNLIMITED = Long.MAX_VALUE;

    /// Alignment of pooled memory in bytes: a cache line, and the widest vector that a processor loads.
    public static final long ALIGNMENT = 64;

    private static final long DEFAULT_SLAB_BYTES = 64L << 20;

    // Divisors of the machine's memory, or of the container's memory limit.
    private static final int DEFAULT_MAXIMUM_SHARE = 2;
    private static final int DEFAULT_IDLE_SHARE = 4;
    public static final long SMALLEST_SLAB_BYTES = 4096;
    private static final Duration LONGEST_WAIT = Duration.ofDays(1);

    /// @throws IllegalArgumentException if a value is out of its range
    public MemoryOptions {
        if (slabBytes < SMALLEST_SLAB_BYTES || slabBytes % ALIGNMENT != 0) {
            throw new IllegalArgumentException("slabBytes " + slabBytes + " must be a multiple of " + ALIGNMENT
                    + ", at least " + SMALLEST_SLAB_BYTES);
        }
        if (maximumBytes < 1) {
            throw new IllegalArgumentException("maximumBytes " + maximumBytes + " must be 1 or more");
        }
        if (waitAtLimit.isNegative() || waitAtLimit.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("waitAtLimit " + waitAtLimit + " must be 0 to " + LONGEST_WAIT);
        }
        if (idleBytes < 0) {
            throw new IllegalArgumentException("idleBytes " + idleBytes + " must be 0 or more");
        }
    }

    /// Creates options whose allocations fail at once at the limit, and that keep idle slabs of up to a quarter of the
    /// machine's memory.
    ///
    /// @throws IllegalArgumentException if a value is out of its range
    public MemoryOptions(long slabBytes, long maximumBytes) {
        this(slabBytes, maximumBytes, Duration.ZERO, PhysicalMemory.share(DEFAULT_IDLE_SHARE));
    }

    /// Returns a copy with another [#maximumBytes].
    public MemoryOptions withMaximumBytes(long bytes) {
        return new MemoryOptions(slabBytes, bytes, waitAtLimit, idleBytes);
    }

    /// Returns a copy with another [#waitAtLimit].
    public MemoryOptions withWaitAtLimit(Duration wait) {
        return new MemoryOptions(slabBytes, maximumBytes, wait, idleBytes);
    }

    /// Returns a copy with another [#idleBytes].
    public MemoryOptions withIdleBytes(long bytes) {
        return new MemoryOptions(slabBytes, maximumBytes, waitAtLimit, bytes);
    }

    /// Returns the defaults: slabs of 64 MiB, and together at most half of the machine's memory, or half of the
    /// container's memory limit.
    public static MemoryOptions defaults() {
        return new MemoryOptions(DEFAULT_SLAB_BYTES, PhysicalMemory.share(DEFAULT_MAXIMUM_SHARE));
    }
}
