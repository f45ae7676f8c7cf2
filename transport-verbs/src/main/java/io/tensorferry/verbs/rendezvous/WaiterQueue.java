package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DoneCallback;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;

/// The receives that wait for one key, first come first served, with removal from the middle in constant time.
///
/// Not thread-safe: [TagTable] guards it. A short queue is a plain linked list. A long one also has an index from
/// callback to node, so that cancelling every one of many receives does not take quadratic time.
final class WaiterQueue {
    private static final int INDEX_FROM = 16;

    private @Nullable Node first;
    private @Nullable Node last;
    private int size;
    private @Nullable IdentityHashMap<DoneCallback, Node> newestByWaiter;

    private static final class Node {
        final DoneCallback waiter;

        @Nullable
        Node previous;

        @Nullable
        Node next;
        /// The node with the same callback that was added before this one; kept only while there is an index, and
        /// void once that node is `gone`.
        @Nullable
        Node olderOfSameWaiter;

        boolean gone;

        Node(DoneCallback waiter) {
            this.waiter = waiter;
        }
    }

    int size() {
        return size;
    }

    void add(DoneCallback waiter) {
        var node = new Node(waiter);
        node.previous = last;
        if (last == null) {
            first = node;
        } else {
            last.next = node;
        }
        last = node;
        size++;
        if (newestByWaiter != null) {
            index(newestByWaiter, node);
        } else if (size == INDEX_FROM) {
            newestByWaiter = new IdentityHashMap<>(2 * INDEX_FROM);
            for (Node each = first; each != null; each = each.next) {
                index(newestByWaiter, each);
            }
        }
    }

    /// The waiter that came first, now removed; null if none waits.
    @Nullable
    DoneCallback poll() {
        Node node = first;
        if (node == null) {
            return null;
        }
        // The first node is the oldest of its callback: the index points to it only if it is the newest as well.
        if (newestByWaiter != null && newestByWaiter.get(node.waiter) == node) {
            newestByWaiter.remove(node.waiter);
        }
        unlink(node);
        return node.waiter;
    }

    /// Removes `waiter`, the place that it took last if it waits several times; returns whether it waited.
    boolean remove(DoneCallback waiter) {
        Node node = newestByWaiter == null ? scan(waiter) : newestByWaiter.get(waiter);
        if (node == null) {
            return false;
        }
        if (newestByWaiter != null) {
            Node older = node.olderOfSameWaiter;
            if (older == null || older.gone) {
                newestByWaiter.remove(waiter);
            } else {
                newestByWaiter.put(waiter, older);
            }
        }
        unlink(node);
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // as the index: two callbacks may be equal and yet two receives
    private @Nullable Node scan(DoneCallback waiter) {
        Node node = last;
        while (node != null && node.waiter != waiter) {
            node = node.previous;
        }
        return node;
    }

    private static void index(IdentityHashMap<DoneCallback, Node> index, Node node) {
        node.olderOfSameWaiter = index.put(node.waiter, node);
    }

    private void unlink(Node node) {
        Node previous = node.previous;
        Node next = node.next;
        if (previous == null) {
            first = next;
        } else {
            previous.next = next;
        }
        if (next == null) {
            last = previous;
        } else {
            next.previous = previous;
        }
        node.gone = true;
        node.olderOfSameWaiter = null;
        size--;
    }
}
