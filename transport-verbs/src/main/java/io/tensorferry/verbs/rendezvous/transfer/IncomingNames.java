package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.verbs.wire.NameId;
import org.jspecify.annotations.Nullable;

/// Maps the [NameId]s of the peer to keys and metadata on one channel.
///
/// The peer chooses among [NameId#COUNT] ids, and only short requests may have one: this bounds the memory of the map.
/// Owner: the loop.
final class IncomingNames {
    private static final int PAGE = 256;

    private final @Nullable ExpectedTensor[] @Nullable [] pages =
            new @Nullable ExpectedTensor[NameId.COUNT / PAGE] @Nullable [];

    /// Returns null if the id is not defined.
    ///
    /// @param id valid
    @Nullable
    ExpectedTensor get(int id) {
        @Nullable ExpectedTensor[] page = pages[(id - 1) / PAGE];
        return page == null ? null : page[(id - 1) % PAGE];
    }

    /// @param id valid
    void define(int id, ExpectedTensor name) {
        @Nullable ExpectedTensor[] page = pages[(id - 1) / PAGE];
        if (page == null) {
            page = new @Nullable ExpectedTensor[PAGE];
            pages[(id - 1) / PAGE] = page;
        }
        page[(id - 1) % PAGE] = name;
    }
}
