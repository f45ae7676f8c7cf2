package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.TensorMetaData;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The metadata that each key's tensor had when it was last received, by this process, in any step: what the next
/// request for the key allocates for.
///
/// A wrong or missing entry costs one round trip, never a wrong result: the sender compares. Holds the entries used
/// last, up to a limit; values are immutable, so that what one request took from here cannot change under it.
///
/// Threading: any thread; one lock.
public final class MetaDataCache {
    private final Map<String, WarmRequest> entries;

    /// @param capacity the most entries it holds, 1 or more
    public MetaDataCache(int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity " + capacity + " must be 1 or more");
        }
        // By the printed key, for the reason that TagTable gives.
        this.entries = new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<String, WarmRequest> eldest) {
                return size() > capacity;
            }
        };
    }

    /// What was put last for `key`, or null; counts as a use.
    public @Nullable TensorMetaData get(RendezvousKey key) {
        WarmRequest known = course(key);
        return known == null ? null : known.metaData();
    }

    /// The course of a request for `key` if its metadata is what was put last, or null; counts as a use.
    synchronized @Nullable WarmRequest course(RendezvousKey key) {
        return entries.get(key.toString());
    }

    /// Remembers `metaData`; drops the entry that was not used for longest if there are too many.
    public void put(RendezvousKey key, TensorMetaData metaData) {
        var course = new WarmRequest(metaData);
        synchronized (this) {
            entries.put(key.toString(), course);
        }
    }

    public synchronized void remove(RendezvousKey key) {
        entries.remove(key.toString());
    }

    public synchronized int size() {
        return entries.size();
    }
}
