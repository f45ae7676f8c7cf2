package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.TensorMetaData;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/// Caches the metadata of each key's last received tensor, over all steps of this process. The next request for the key
/// allocates memory for this metadata.
///
/// A wrong or missing entry costs one round trip, never a wrong result: the sender compares. Values are immutable, so a
/// value in use by a request never changes.
///
/// If there are more keys than entries, a new key replaces the least recently used entry, but only if that entry has
/// been unused for several times the new key's reuse interval. Keys used once per step therefore keep their entries
/// under overload, keys used only once take none, and the keys of a graph that no longer runs lose theirs after a few
/// steps. The policy is deterministic: equal uses keep equal entries.
///
/// Threading: any thread; one lock.
public final class MetaDataCache {
    /// The factor by which the oldest entry must have been unused for longer. With 1, keys in another order in each
    /// step would evict keys that come later in the same step.
    private static final int TIMES_LONGER = 3;

    private final int capacity;

    // Keyed by the printed key, as TagTable is; in access order, the most recently used last.
    private final LinkedHashMap<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private @Nullable MissedKeys missed;

    /// The number of look-ups, used as the clock. It wraps.
    private int now;

    private static final class Entry {
        TensorMetaData metaData;
        int usedAt;

        Entry(TensorMetaData metaData, int usedAt) {
            this.metaData = metaData;
            this.usedAt = usedAt;
        }
    }

    /// @param capacity the most entries it holds, 1 or more
    public MetaDataCache(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity " + capacity + " must be 1 or more");
        }
        this.capacity = capacity;
    }

    /// Returns the last metadata that was put for `key`, or null; counts as a use.
    public synchronized @Nullable TensorMetaData get(RendezvousKey key) {
        now++;
        Entry entry = entries.get(key.toString());
        if (entry != null) {
            entry.usedAt = now;
            return entry.metaData;
        }
        if (entries.size() == capacity) {
            missedKeys().miss(key, now, (now - eldest().usedAt) / TIMES_LONGER);
        }
        return null;
    }

    /// Stores `metaData` if there is room, or if the last look-up found that `key` is used more often than the eldest
    /// entry.
    public synchronized void put(RendezvousKey key, TensorMetaData metaData) {
        Entry entry = entries.get(key.toString());
        if (entry != null) {
            entry.metaData = metaData;
        } else if (entries.size() < capacity) {
            entries.put(key.toString(), new Entry(metaData, now));
        } else if (missedKeys().takeWanted(key)) {
            entries.pollFirstEntry();
            entries.put(key.toString(), new Entry(metaData, now));
        }
    }

    private Entry eldest() {
        return entries.firstEntry().getValue();
    }

    private MissedKeys missedKeys() {
        MissedKeys known = missed;
        if (known == null) {
            known = new MissedKeys(capacity);
            missed = known;
        }
        return known;
    }

    public synchronized void remove(RendezvousKey key) {
        entries.remove(key.toString());
    }

    public synchronized int size() {
        return entries.size();
    }
}
