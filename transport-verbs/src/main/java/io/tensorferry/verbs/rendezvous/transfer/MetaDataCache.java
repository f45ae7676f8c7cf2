package io.tensorferry.verbs.rendezvous.transfer;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.TensorMetaData;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/// The metadata that each key's tensor had when it was last received, by this process, in any step: what the next
/// request for the key allocates for.
///
/// A wrong or missing entry costs one round trip, never a wrong result: the sender compares. Values are immutable, so
/// that what one request took from here cannot change under it.
///
/// Where there are more keys than entries, a new key takes the place of the one that was not used for longest, but only
/// if that one was not used for several times as long as the new key takes to come again. So keys that come once per
/// step keep their entries where there are too many of them, and keys that come once in all take none; keys of a graph
/// that is no longer run give theirs up after a few steps. Nothing here is random: equal uses keep equal entries.
///
/// Threading: any thread; one lock.
public final class MetaDataCache {
    /// How much longer the oldest entry must have been unused. With 1, keys that come in another order in each step
    /// would take the places of such as come later in the same step.
    private static final int TIMES_LONGER = 3;

    private final int capacity;

    // By the printed key, for the reason that TagTable gives; the one used last comes last.
    private final LinkedHashMap<String, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private @Nullable MissedKeys missed;

    /// Counts the look-ups; this is the time here. It wraps.
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

    /// The metadata that was put last for `key`, or null; counts as a use.
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

    /// Remembers `metaData`, where there is room or the last look-up found that `key` is used more often than another.
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
