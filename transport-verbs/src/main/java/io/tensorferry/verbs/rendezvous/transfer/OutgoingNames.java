package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.NameId;
import org.jspecify.annotations.Nullable;

/// The [NameId]s that this end has given to keys on one channel: each stands for a key and for the metadata that its
/// last full request named.
///
/// Four ids share the keys of one hash. Where a fifth key comes it gets one only if one of the four was not used while
/// [#PATIENCE] others came in vain: keys that come once per step keep their ids where there are more of them than ids,
/// and those of a graph that is no longer run lose them. Which id a key gets is decided when the request is written
/// into the ring, whose order both ends see.
///
/// Owner: the loop. Pages of it are made as they are needed; a look-up makes nothing.
final class OutgoingNames {
    private static final int WAYS = 4;
    private static final int SETS = NameId.COUNT / WAYS;
    private static final int PAGE = 256;

    /// Of requests that come once per step and share a hash, this many more than the ids can be without a change.
    private static final int PATIENCE = 32;

    private final @Nullable Page[] pages = new @Nullable Page[NameId.COUNT / PAGE];

    private static final class Page {
        final @Nullable RendezvousKey[] keys = new @Nullable RendezvousKey[PAGE];
        final @Nullable TensorMetaData[] metaData = new @Nullable TensorMetaData[PAGE];

        /// How many keys of the same hash came in vain since the id was used.
        final byte[] unused = new byte[PAGE];
    }

    /// The id that stands for exactly this, or [NameId#NONE].
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

    /// The id that stands for this from now on, or [NameId#NONE].
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

    /// The id to be given to another key: a free one, or the one that was not used for longest, if that is long enough;
    /// otherwise -1.
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
