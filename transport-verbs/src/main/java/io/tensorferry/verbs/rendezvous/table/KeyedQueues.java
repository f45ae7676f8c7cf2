package io.tensorferry.verbs.rendezvous.table;

import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A queue for each key, first come first served, of nodes that are linked into it: nothing is made for what waits,
/// whatever the number of keys, and any node is removed at a cost that does not depend on how many wait.
///
/// The oldest node of each key stands in a hash table, and the others of the key behind it. A peer can choose keys of
/// one hash; where many meet, another hash takes over, which nobody else can know.
///
/// Not thread-safe: [TagTable] guards it.
///
/// @param <N> what waits
final class KeyedQueues<N extends KeyedQueues.Node<N>> {
    private static final int FIRST_LENGTH = 16;
    /// Far more than chance brings together.
    private static final int LONGEST_CHAIN = 48;

    /// What waits under a key, in one place at a time.
    abstract static class Node<N extends Node<N>> {
        private String key = "";
        private int hash;
        private boolean waits;
        private @Nullable N previous;
        private @Nullable N next;
        // Of the oldest of its key alone: the youngest, and the oldest of the next key in the table.
        private @Nullable N youngest;
        private @Nullable N nextKey;

        /// The key that it waits under, or waited under last.
        final String waitingKey() {
            return key;
        }
    }

    private @Nullable N[] table = newTable(FIRST_LENGTH);
    private int keys;
    private int size;
    // 0 for the hash of the string.
    private long secret;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <N extends Node<N>> @Nullable N[] newTable(int length) {
        return (N[]) new Node[length];
    }

    /// How many wait, under all keys.
    int size() {
        return size;
    }

    /// @param node one that does not wait
    void add(String key, N node) {
        Node<N> added = node;
        if (added.waits) {
            throw new IllegalStateException("it waits already, for " + added.key);
        }
        added.key = key;
        added.hash = hash(key);
        added.waits = true;
        size++;
        int chain = 0;
        for (N head = table[added.hash & (table.length - 1)]; head != null; head = next(head)) {
            if (isOf(head, key, added.hash)) {
                append(head, node);
                return;
            }
            chain++;
        }
        added.youngest = node;
        added.nextKey = table[added.hash & (table.length - 1)];
        table[added.hash & (table.length - 1)] = node;
        keys++;
        if (chain > LONGEST_CHAIN && secret == 0) {
            secret = new SplittableRandom().nextLong() | 1;
            rehash(table.length);
        } else if (keys > table.length / 4 * 3 && table.length < 1 << 30) {
            rehash(2 * table.length);
        }
    }

    private static <N extends Node<N>> @Nullable N next(N head) {
        Node<N> of = head;
        return of.nextKey;
    }

    private static <N extends Node<N>> boolean isOf(N head, String key, int hash) {
        Node<N> of = head;
        return of.hash == hash && of.key.equals(key);
    }

    private void append(N head, N node) {
        Node<N> first = head;
        Node<N> added = node;
        Node<N> last = first.youngest == null ? first : first.youngest;
        last.next = node;
        added.previous = first.youngest;
        first.youngest = node;
    }

    /// The oldest under `key`, which waits no longer; null if none does.
    @Nullable
    N poll(String key) {
        N head = find(key, hash(key));
        if (head != null) {
            removeOldest(head);
        }
        return head;
    }

    /// One of the keys under which something waits; null if nothing does.
    @Nullable
    String anyKey() {
        for (N head : table) {
            if (head != null) {
                return head.waitingKey();
            }
        }
        return null;
    }

    boolean hasWaiting(String key) {
        return find(key, hash(key)) != null;
    }

    private @Nullable N find(String key, int hash) {
        N head = table[hash & (table.length - 1)];
        while (head != null && !isOf(head, key, hash)) {
            head = next(head);
        }
        return head;
    }

    /// Returns whether `node` waited.
    boolean remove(N node) {
        Node<N> removed = node;
        if (!removed.waits) {
            return false;
        }
        N previous = removed.previous;
        if (previous == null) {
            removeOldest(node);
            return true;
        }
        Node<N> before = previous;
        before.next = removed.next;
        N next = removed.next;
        if (next != null) {
            Node<N> after = next;
            after.previous = previous;
        } else {
            Node<N> head = oldest(removed.key, removed.hash);
            head.youngest = previous;
        }
        forget(removed);
        return true;
    }

    private N oldest(String key, int hash) {
        N head = find(key, hash);
        if (head == null) {
            throw new IllegalStateException("nothing waits under " + key);
        }
        return head;
    }

    /// The next of its key takes its place in the table, if there is one.
    private void removeOldest(N node) {
        Node<N> removed = node;
        N successor = removed.next;
        N rest = removed.nextKey;
        if (successor != null) {
            Node<N> after = successor;
            after.previous = null;
            after.youngest = removed.youngest;
            after.nextKey = rest;
            replace(node, successor);
        } else {
            keys--;
            replace(node, rest);
        }
        forget(removed);
    }

    @SuppressWarnings("ReferenceEquality")
    private void replace(N node, @Nullable N by) {
        int bucket = ((Node<N>) node).hash & (table.length - 1);
        N head = table[bucket];
        if (head == node) {
            table[bucket] = by;
            return;
        }
        while (head != null) {
            Node<N> of = head;
            if (of.nextKey == node) {
                of.nextKey = by;
                return;
            }
            head = of.nextKey;
        }
        throw new IllegalStateException("nothing waits under " + ((Node<N>) node).key);
    }

    private void forget(Node<N> removed) {
        removed.waits = false;
        removed.previous = null;
        removed.next = null;
        removed.youngest = null;
        removed.nextKey = null;
        size--;
    }

    /// Removes all, those of one key in their order, and gives each to `taken`.
    void drain(Consumer<N> taken) {
        for (int bucket = 0; bucket < table.length; bucket++) {
            for (N head = table[bucket]; head != null; head = table[bucket]) {
                removeOldest(head);
                taken.accept(head);
            }
        }
    }

    private void rehash(int length) {
        @Nullable N[] old = table;
        table = newTable(length);
        for (N first : old) {
            N head = first;
            while (head != null) {
                Node<N> moved = head;
                N following = moved.nextKey;
                moved.hash = hash(moved.key);
                for (N other = moved.next; other != null; other = ((Node<N>) other).next) {
                    ((Node<N>) other).hash = moved.hash;
                }
                moved.nextKey = table[moved.hash & (length - 1)];
                table[moved.hash & (length - 1)] = head;
                head = following;
            }
        }
    }

    private int hash(String key) {
        if (secret == 0) {
            int hash = key.hashCode();
            return hash ^ (hash >>> 16);
        }
        long hash = secret;
        for (int i = 0; i < key.length(); i++) {
            hash = (hash ^ key.charAt(i)) * secret;
            // Not a mere polynomial, some of whose collisions are known without the secret.
            hash ^= hash >>> 29;
        }
        return (int) (hash ^ (hash >>> 32));
    }
}
