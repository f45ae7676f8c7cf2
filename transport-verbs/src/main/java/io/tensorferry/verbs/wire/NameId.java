package io.tensorferry.verbs.wire;

/// A number that stands for a rendezvous key, and for the other properties that two requests for it share, on one
/// channel in one direction: 1 to [#COUNT]. The requester assigns it.
public final class NameId {
    /// The request assigns no name id to its key.
    public static final int NONE = 0;

    /// Number of valid ids.
    public static final int COUNT = 1 << 16;

    private NameId() {}

    /// Whether `id` can stand for a key.
    public static boolean isValid(int id) {
        return id > NONE && id <= COUNT;
    }
}
