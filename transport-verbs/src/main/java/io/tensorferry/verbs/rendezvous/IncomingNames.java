package io.tensorferry.verbs.rendezvous;

import io.tensorferry.verbs.wire.NameId;
import org.jspecify.annotations.Nullable;

/// What the [NameId]s of the peer stand for on one channel.
///
/// The peer chooses among [NameId#COUNT] ids, and only short requests may have one: that bounds the memory that this
/// takes. Owner: the loop.
final class IncomingNames {
    private static final int PAGE = 256;

    private final @Nullable PeerName[] @Nullable [] pages = new @Nullable PeerName[NameId.COUNT / PAGE] @Nullable [];

    /// Null where the id stands for nothing.
    ///
    /// @param id valid
    @Nullable
    PeerName get(int id) {
        @Nullable PeerName[] page = pages[(id - 1) / PAGE];
        return page == null ? null : page[(id - 1) % PAGE];
    }

    /// @param id valid
    void define(int id, PeerName name) {
        @Nullable PeerName[] page = pages[(id - 1) / PAGE];
        if (page == null) {
            page = new @Nullable PeerName[PAGE];
            pages[(id - 1) / PAGE] = page;
        }
        page[(id - 1) % PAGE] = name;
    }
}
