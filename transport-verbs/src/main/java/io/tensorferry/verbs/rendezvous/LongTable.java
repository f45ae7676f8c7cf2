package io.tensorferry.verbs.rendezvous;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/// Entries by a number, linked into a hash table: a look-up makes no object of the number. Peers may choose the
/// numbers; which of them meet in the table they cannot know.
///
/// Not thread-safe: [StepTable] guards it.
///
/// @param <E> what is found
final class LongTable<E extends LongTable.Entry<E>> {
    private static final int FIRST_LENGTH = 16;

    /// What is found by its number, in one table.
    abstract static class Entry<E extends Entry<E>> {
        private final long id;
        private @Nullable E next;

        Entry(long id) {
            this.id = id;
        }

        final long id() {
            return id;
        }
    }

    private final long secret = new SplittableRandom().nextLong() | 1;
    private @Nullable E[] table = newTable(FIRST_LENGTH);
    private int size;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <E extends Entry<E>> @Nullable E[] newTable(int length) {
        return (E[]) new Entry[length];
    }

    int size() {
        return size;
    }

    @Nullable
    E get(long id) {
        E entry = table[bucket(id)];
        while (entry != null && idOf(entry) != id) {
            entry = nextOf(entry);
        }
        return entry;
    }

    /// @param entry one whose number has none yet
    void add(E entry) {
        if (size >= table.length / 4 * 3 && table.length < 1 << 30) {
            List<E> all = all();
            table = newTable(2 * table.length);
            all.forEach(this::link);
        }
        link(entry);
        size++;
    }

    private void link(E entry) {
        Entry<E> linked = entry;
        int bucket = bucket(linked.id);
        linked.next = table[bucket];
        table[bucket] = entry;
    }

    /// The same as [#get]; it is not found any more.
    @Nullable
    E remove(long id) {
        int bucket = bucket(id);
        E before = null;
        for (E entry = table[bucket]; entry != null; entry = nextOf(entry)) {
            if (idOf(entry) == id) {
                if (before == null) {
                    table[bucket] = nextOf(entry);
                } else {
                    ((Entry<E>) before).next = nextOf(entry);
                }
                size--;
                return entry;
            }
            before = entry;
        }
        return null;
    }

    /// All of them, in no order.
    List<E> all() {
        var all = new ArrayList<E>(size);
        for (E first : table) {
            for (E entry = first; entry != null; entry = nextOf(entry)) {
                all.add(entry);
            }
        }
        return all;
    }

    private int bucket(long id) {
        return (int) ((id * secret) >>> 34) & (table.length - 1);
    }

    private static <E extends Entry<E>> long idOf(E entry) {
        return entry.id();
    }

    private static <E extends Entry<E>> @Nullable E nextOf(E entry) {
        Entry<E> of = entry;
        return of.next;
    }
}
