package io.tensorferry.verbs.device.ibverbs.post;

/// The `wr_id` of a work request: the queue pair, its send or receive queue, and the slot.
///
/// | bits | |
/// |---|---|
/// | 63 | 1 for the receive queue |
/// | 48 to 62 | generation: how often the index was given out, modulo 2^15 |
/// | 32 to 47 | index of the queue pair at its completion queue |
/// | 0 to 31 | slot |
///
/// A destroyed or reset queue pair gives up its index, so that late completions are recognised as such. Devices differ
/// in whether they still deliver them.
public final class WorkTag {
    public static final int MAX_INDEX = 0xFFFF;
    private static final int GENERATION_MASK = 0x7FFF;
    private static final int GENERATION_SHIFT = 16;
    private static final int OWNER_SHIFT = 32;
    private static final long RECEIVE = 1L << 63;
    private static final long SLOT_MASK = 0xFFFF_FFFFL;

    private WorkTag() {}

    /// @param index 0 to [#MAX_INDEX]
    /// @param generation any count, of which the low 15 bits are used
    public static int owner(int index, int generation) {
        return ((generation & GENERATION_MASK) << GENERATION_SHIFT) | index;
    }

    public static long of(int owner, boolean receive, int slot) {
        return (receive ? RECEIVE : 0) | ((long) owner << OWNER_SHIFT) | (slot & SLOT_MASK);
    }

    public static int owner(long tag) {
        return (int) (tag >>> OWNER_SHIFT) & Integer.MAX_VALUE;
    }

    public static int index(int owner) {
        return owner & MAX_INDEX;
    }

    public static boolean isReceive(long tag) {
        return tag < 0;
    }

    public static int slot(long tag) {
        return (int) tag;
    }
}
