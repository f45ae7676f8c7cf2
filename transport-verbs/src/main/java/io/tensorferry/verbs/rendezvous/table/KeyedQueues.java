package io.tensorferry.verbs.rendezvous.table;

import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A FIFO queue per key of intrusive nodes. Queueing allocates no memory per node, and removing any node costs the same
/// however many nodes or keys wait.
///
/// The oldest node of each key stands in a hash table; the other nodes of the key are linked behind it. A peer can
/// choose keys that collide. If a chain exceeds `LONGEST_CHAIN`, the table switches to a hash with a random secret.
///
/// Not thread-safe: [TagTable] guards it.
///
/// @param <N> the type of the queued nodes
final class KeyedQueues<N extends KeyedQueues.Node<N>> {
    private static final int FIRST_LENGTH = 16;
    /// Far longer than random keys produce.
    private static final int LONGEST_CHAIN = 48;

    /// A node that waits under one key in at most one queue at a time.
    abstract static class Node<N extends Node<N>> {
        private String key = "";
        private int hash;
        private boolean waits;
        private @Nullable N previous;
        private @Nullable N next;
        // Set only on the oldest node of a key: the youngest node of the key, and the oldest node of the next key in
        // the bucket.
        private @Nullable N youngest;
        private @Nullable N nextKey;

        /// The key that the node waits under, or last waited under.
        final String waitingKey() {
            return key;
        }
    }

    private @Nullable N[] table = newTable(FIRST_LENGTH);
    private int keys;
    private int size;
    // 0 selects the hash of the string.
    private long secret;

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <N extends Node<N>> @Nullable N[] newTable(int length) {
        return (N[]) new Node[length];
    }

    /// The number of waiting nodes under all keys.
    int size() {
        return size;
    }

    /// @param node a node that does not wait
    void add(String key, N node) {
        Node<N> added = node;
        if (added.waits) {
            throw new IllegalStateException("the node already waits for " + added.key);
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

    /// Removes and returns the oldest node under `key`; null if there is none.
    @Nullable
    N poll(String key) {
        N head = find(key, hash(key));
        if (head != null) {
            removeOldest(head);
        }
        return head;
    }

    /// Returns a key under which a node waits; null if no node waits.
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
            throw new IllegalStateException("nothing waits for " + key);
        }
        return head;
    }

    /// Removes the oldest node of a key. The next node of the key, if any, takes its place in the table.
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
        throw new IllegalStateException("nothing waits for " + ((Node<N>) node).key);
    }

    private void forget(Node<N> removed) {
        removed.waits = false;
        removed.previous = null;
        removed.next = null;
        removed.youngest = null;
        removed.nextKey = null;
        size--;
    }

    /// Removes all nodes and gives each to `taken`; nodes of one key keep their order.
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
            // A plain polynomial hash has collisions that are known without the secret.
            hash ^= hash >>> 29;
        }
        return (int) (hash ^ (hash >>> 32));
    }
}
