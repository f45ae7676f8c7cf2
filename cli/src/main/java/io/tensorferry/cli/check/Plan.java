package io.tensorferry.cli.check;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A caller's proposal: how many tensors of which sizes each end sends.
///
/// @param version the version of this exchange, [#VERSION] today
record Plan(int version, @Nullable List<Item> items) {
    static final int VERSION = 1;

    private static final int MOST_ITEMS = 32;
    private static final int MOST_ROUNDS = 10_000;
    private static final long MOST_BYTES = 1L << 30;
    // Enough for a median, and quick to transfer.
    private static final int DEFAULT_ROUNDS = 100;
    private static final int LEAST_ROUNDS = 5;
    private static final long BYTES_OF_A_SIZE = 64L << 20;

    /// Tensors of one size.
    ///
    /// @param rounds the number of timed tensors; one more precedes them to warm up
    record Item(long bytes, int rounds) {
        /// Chooses a number of rounds that transfers quickly.
        static Item of(long bytes) {
            long fitting = BYTES_OF_A_SIZE / Math.max(1, bytes);
            return new Item(bytes, Math.clamp(fitting, LEAST_ROUNDS, DEFAULT_ROUNDS));
        }

        /// The total size of all tensors of this item.
        long allBytes() {
            return bytes * (rounds + 1);
        }
    }

    /// The sizes in order.
    ///
    /// @throws IllegalArgumentException if this version does not accept the plan
    List<Item> check() {
        if (version != VERSION) {
            throw new IllegalArgumentException("version " + version + " of the check is not supported, only " + VERSION
                    + "; use the same tensorferry at both ends");
        }
        if (items == null || items.isEmpty() || items.size() > MOST_ITEMS) {
            throw new IllegalArgumentException("a check takes 1 to " + MOST_ITEMS + " sizes");
        }
        // The plan was parsed from JSON, which may contain null.
        if (items.stream().anyMatch(Objects::isNull)) {
            throw new IllegalArgumentException("a size is missing");
        }
        for (Item item : items) {
            if (item.bytes() < 1 || item.bytes() > MOST_BYTES) {
                throw new IllegalArgumentException("size " + item.bytes() + " must be in 1.." + MOST_BYTES);
            }
            if (item.rounds() < 1 || item.rounds() > MOST_ROUNDS) {
                throw new IllegalArgumentException("rounds " + item.rounds() + " must be in 1.." + MOST_ROUNDS);
            }
        }
        return items;
    }
}
