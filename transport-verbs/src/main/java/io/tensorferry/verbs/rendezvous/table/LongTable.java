package io.tensorferry.verbs.rendezvous.table;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// An intrusive hash table of entries keyed by a `long`; lookups and entries allocate nothing. Peers may choose the
/// keys; a secret factor keeps them from choosing keys that collide.
///
/// Threading: one thread at a time, which the owner ensures. Any thread may call [#size()].
///
/// @param <E> the type of the entries
public final class LongTable<E extends LongTable.Entry<E>> {
    private static final int FIRST_LENGTH = 16;

    /// An entry, which is in at most one table at a time.
    public interface Entry<E> {
        /// The key; constant while the entry is in a table.
        long id();

        /// The next entry of the bucket; used only by the table.
        @Nullable
        E next();

        void next(@Nullable E entry);
    }

    private final long secret = new SplittableRandom().nextLong() | 1;
    private @Nullable E[] table = newTable(FIRST_LENGTH);
    private final AtomicInteger size = new AtomicInteger();

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <E extends Entry<E>> @Nullable E[] newTable(int length) {
        return (E[]) new Entry[length];
    }

    /// Returns the number of entries. Any thread may call it.
    public int size() {
        return size.get();
    }

    @Nullable
    public E get(long id) {
        E entry = table[bucket(id)];
        while (entry != null && entry.id() != id) {
            entry = entry.next();
        }
        return entry;
    }

    /// @param entry an entry whose key is not in the table
    public void add(E entry) {
        if (size.get() >= table.length / 4 * 3 && table.length < 1 << 30) {
            List<E> all = all();
            table = newTable(2 * table.length);
            all.forEach(this::link);
        }
        link(entry);
        size.lazySet(size.get() + 1);
    }

    private void link(E entry) {
        int bucket = bucket(entry.id());
        entry.next(table[bucket]);
        table[bucket] = entry;
    }

    /// Removes and returns the entry that [#get] finds.
    @Nullable
    public E remove(long id) {
        int bucket = bucket(id);
        E before = null;
        for (E entry = table[bucket]; entry != null; entry = entry.next()) {
            if (entry.id() == id) {
                if (before == null) {
                    table[bucket] = entry.next();
                } else {
                    before.next(entry.next());
                }
                entry.next(null);
                size.lazySet(size.get() - 1);
                return entry;
            }
            before = entry;
        }
        return null;
    }

    /// Returns all entries in no particular order.
    public List<E> all() {
        var all = new ArrayList<E>(size());
        for (E first : table) {
            for (E entry = first; entry != null; entry = entry.next()) {
                all.add(entry);
            }
        }
        return all;
    }

    private int bucket(long id) {
        return (int) ((id * secret) >>> 34) & (table.length - 1);
    }
}
