package io.tensorferry.verbs.config;

import java.time.Duration;

/// How registered memory grows.
///
/// @param slabBytes bytes of one slab, which is registered at once; a multiple of 64, 4,096 or more. A larger
///     request gets a slab of its own
/// @param maximumBytes what all slabs together may take, 1 or more; [#UNLIMITED] for no limit, where an allocation that
///     the machine has no memory for may succeed and end the process when it is used. Memory that a user registers
///     does not count
/// @param waitAtLimit how long an allocation that would pass `maximumBytes` waits for memory to come back, before it
///     fails; 0 to fail at once. It waits on the thread that asks: a user's that allocates a tensor, or a worker. The
///     transport's loop never waits, and neither does a call to receive or send
/// @param idleBytes what slabs of one larger request each may take that have come back and wait for another, 0 or more;
///     those that are idle longest go first, and all go before an allocation fails
public record MemoryOptions(long slabBytes, long maximumBytes, Duration waitAtLimit, long idleBytes) {
    /// A [#maximumBytes] that is never reached.
    public static final long UNLIMITED = Long.MAX_VALUE;

    /// Bytes to which pooled memory is aligned: a cache line, and the widest vector that a processor loads.
    public static final long ALIGNMENT = 64;

    private static final long DEFAULT_SLAB_BYTES = 64L << 20;

    // Of the memory of the machine, or of the container that limits it.
    private static final int DEFAULT_MAXIMUM_SHARE = 2;
    private static final int DEFAULT_IDLE_SHARE = 4;
    public static final long SMALLEST_SLAB_BYTES = 4096;
    private static final Duration LONGEST_WAIT = Duration.ofDays(1);

    /// @throws IllegalArgumentException if a value is out of its range
    public MemoryOptions {
        if (slabBytes < SMALLEST_SLAB_BYTES || slabBytes % ALIGNMENT != 0) {
            throw new IllegalArgumentException("slabBytes " + slabBytes + " is not a multiple of " + ALIGNMENT
                    + " of at least " + SMALLEST_SLAB_BYTES);
        }
        if (maximumBytes < 1) {
            throw new IllegalArgumentException("maximumBytes " + maximumBytes + " is not 1 or more");
        }
        if (waitAtLimit.isNegative() || waitAtLimit.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("waitAtLimit " + waitAtLimit + " is not 0 to " + LONGEST_WAIT);
        }
        if (idleBytes < 0) {
            throw new IllegalArgumentException("idleBytes " + idleBytes + " is not 0 or more");
        }
    }

    /// At the limit, allocations fail at once; large slabs of up to a quarter of the machine's memory wait to be used
    /// again.
    ///
    /// @throws IllegalArgumentException if a value is out of its range
    public MemoryOptions(long slabBytes, long maximumBytes) {
        this(slabBytes, maximumBytes, Duration.ZERO, PhysicalMemory.share(DEFAULT_IDLE_SHARE));
    }

    /// The same, with another [#maximumBytes].
    public MemoryOptions withMaximumBytes(long bytes) {
        return new MemoryOptions(slabBytes, bytes, waitAtLimit, idleBytes);
    }

    /// The same, with another [#waitAtLimit].
    public MemoryOptions withWaitAtLimit(Duration wait) {
        return new MemoryOptions(slabBytes, maximumBytes, wait, idleBytes);
    }

    /// The same, with another [#idleBytes].
    public MemoryOptions withIdleBytes(long bytes) {
        return new MemoryOptions(slabBytes, maximumBytes, waitAtLimit, bytes);
    }

    /// Slabs of 64 MiB, of half of the machine's memory together, or of half of the container's where that has a limit.
    public static MemoryOptions defaults() {
        return new MemoryOptions(DEFAULT_SLAB_BYTES, PhysicalMemory.share(DEFAULT_MAXIMUM_SHARE));
    }
}
