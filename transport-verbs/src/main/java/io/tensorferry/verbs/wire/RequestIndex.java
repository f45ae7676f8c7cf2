package io.tensorferry.verbs.wire;

/// The 32-bit number of one request of a receiver, in control messages and as the immediate of the content: a slot of
/// the receiver's request table in the low 20 bits, and a generation in the high 12.
///
/// The generation distinguishes a late message or write for an earlier request in the slot from those for the current
/// request. It is 0 to 4094; 4095 is unused, so that no index equals an immediate with another meaning ([Immediate]).
/// Indexes compare as plain ints; a valid index may be negative as an int.
public final class RequestIndex {
    /// Number of slots.
    public static final int SLOTS = 1 << 20;

    /// Number of generations of a slot before the first repeats.
    public static final int GENERATIONS = 4095;

    private static final int SLOT_BITS = 20;

    private RequestIndex() {}

    /// @throws IllegalArgumentException if `slot` is not in `[0, SLOTS)` or `generation` not in `[0, GENERATIONS)`
    public static int of(int slot, int generation) {
        if (slot < 0 || slot >= SLOTS || generation < 0 || generation >= GENERATIONS) {
            throw new IllegalArgumentException("slot " + slot + " must be in [0, " + SLOTS + ") and generation "
                    + generation + " in [0, " + GENERATIONS + ")");
        }
        return (generation << SLOT_BITS) | slot;
    }

    /// Whether `index` has a valid generation.
    public static boolean isValid(int index) {
        return generation(index) < GENERATIONS;
    }

    /// 0 to `SLOTS - 1`.
    public static int slot(int index) {
        return index & (SLOTS - 1);
    }

    /// 0 to `GENERATIONS - 1` for a valid index, 4095 for any other.
    public static int generation(int index) {
        return index >>> SLOT_BITS;
    }

    /// The index as human-readable text, such as `slot 17, generation 3`.
    public static String describe(int index) {
        return isValid(index)
                ? "slot " + slot(index) + ", generation " + generation(index)
                : "0x%08x, not a request index".formatted(index);
    }
}
