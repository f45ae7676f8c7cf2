package io.tensorferry.verbs.wire;

/// The number that stands for a rendezvous key, and for what else two requests for it have in common, on one channel
/// in one direction: 1 to [#COUNT]. The requester gives it.
public final class NameId {
    /// Stands for nothing: the request gives its key no number.
    public static final int NONE = 0;

    /// How many numbers there are.
    public static final int COUNT = 1 << 16;

    private NameId() {}

    /// Whether it may stand for a key.
    public static boolean isValid(int id) {
        return id > NONE && id <= COUNT;
    }
}
