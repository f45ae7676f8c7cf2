package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.NameId;
import org.jspecify.annotations.Nullable;

/// The [NameId]s that this end has assigned to keys on one channel: each stands for a key and for the metadata that its
/// last full request named.
///
/// The keys of one hash share four ids. A fifth key gets an id only if one of the four was not used during [#PATIENCE]
/// failed requests for an id. Keys used once per step therefore keep their ids if there are too many keys, and the keys
/// of a graph that no longer runs lose them. The id is assigned when the request is written into the ring, whose order
/// both ends see.
///
/// Owner: the loop. Pages are allocated on demand; a look-up allocates nothing.
final class OutgoingNames {
    private static final int WAYS = 4;
    private static final int SETS = NameId.COUNT / WAYS;
    private static final int PAGE = 256;

    /// The number of further keys of one hash, each used once per step, that the ids tolerate without a change.
    private static final int PATIENCE = 32;

    private final @Nullable Page[] pages = new @Nullable Page[NameId.COUNT / PAGE];

    private static final class Page {
        final @Nullable RendezvousKey[] keys = new @Nullable RendezvousKey[PAGE];
        final @Nullable TensorMetaData[] metaData = new @Nullable TensorMetaData[PAGE];

        /// The number of keys of the same hash that failed to get an id since this id was last used.
        final byte[] unused = new byte[PAGE];
    }

    /// Returns the id that stands for exactly this key and metadata, or [NameId#NONE].
    int find(RendezvousKey key, @Nullable TensorMetaData metaData) {
        int first = firstOf(key);
        Page page = pages[first / PAGE];
        if (page == null) {
            return NameId.NONE;
        }
        int at = wayOf(page, first % PAGE, key);
        if (at < 0) {
            return NameId.NONE;
        }
        page.unused[at] = 0;
        return isSame(page.metaData[at], metaData) ? id(first, at) : NameId.NONE;
    }

    /// Assigns an id to this key and metadata, or returns [NameId#NONE].
    int define(RendezvousKey key, @Nullable TensorMetaData metaData) {
        int first = firstOf(key);
        Page page = pages[first / PAGE];
        if (page == null) {
            page = new Page();
            pages[first / PAGE] = page;
        }
        int at = wayOf(page, first % PAGE, key);
        if (at < 0) {
            at = victim(page, first % PAGE);
        }
        if (at < 0) {
            return NameId.NONE;
        }
        page.keys[at] = key;
        page.metaData[at] = metaData;
        page.unused[at] = 0;
        return id(first, at);
    }

    private static int firstOf(RendezvousKey key) {
        int hash = key.hashCode();
        return ((hash ^ (hash >>> 16)) & (SETS - 1)) * WAYS;
    }

    private static int id(int first, int at) {
        return first / PAGE * PAGE + at + 1;
    }

    private static int wayOf(Page page, int first, RendezvousKey key) {
        for (int at = first; at < first + WAYS; at++) {
            RendezvousKey known = page.keys[at];
            if (known != null && known.equals(key)) {
                return at;
            }
        }
        return -1;
    }

    /// Returns the place of the id to assign: a free one, or the longest unused one if it has been unused for long
    /// enough; otherwise -1.
    private static int victim(Page page, int first) {
        int longest = first;
        for (int at = first; at < first + WAYS; at++) {
            if (page.keys[at] == null) {
                return at;
            }
            longest = page.unused[at] > page.unused[longest] ? at : longest;
        }
        if (page.unused[longest] == PATIENCE) {
            return longest;
        }
        for (int at = first; at < first + WAYS; at++) {
            page.unused[at]++;
        }
        return -1;
    }

    private static boolean isSame(@Nullable TensorMetaData known, @Nullable TensorMetaData wanted) {
        return known == null ? wanted == null : known.equals(wanted);
    }
}
