package io.tensorferry.verbs.rendezvous.table;

import java.util.ArrayList;
import java.util.List;

/// A [TagTable] as plain lists of numbers: the specification that tests compare it with. Items and
/// waiters are 0 or more.
public class TagTableModel {
    public static final int QUEUED = -1;
    public static final int ABORTED = -2;

    private final List<List<Integer>> sends = new ArrayList<>();
    private final List<List<Integer>> waiters = new ArrayList<>();
    private boolean aborted;

    public TagTableModel(int keys) {
        for (int i = 0; i < keys; i++) {
            sends.add(new ArrayList<>());
            waiters.add(new ArrayList<>());
        }
    }

    /// The waiter that gets the item, [#QUEUED] or [#ABORTED].
    public int send(int key, int item) {
        if (aborted) {
            return ABORTED;
        }
        if (!waiters.get(key).isEmpty()) {
            return waiters.get(key).removeFirst();
        }
        sends.get(key).add(item);
        return QUEUED;
    }

    /// The item that the waiter gets, [#QUEUED] or [#ABORTED].
    public int receive(int key, int waiter) {
        if (aborted) {
            return ABORTED;
        }
        if (!sends.get(key).isEmpty()) {
            return sends.get(key).removeFirst();
        }
        waiters.get(key).add(waiter);
        return QUEUED;
    }

    public boolean remove(int key, int waiter) {
        int at = waiters.get(key).lastIndexOf(waiter);
        if (at >= 0) {
            waiters.get(key).remove(/* index */ at);
        }
        return at >= 0;
    }

    /// The number of dropped sends.
    public int abort() {
        int dropped = sends();
        sends.forEach(List::clear);
        waiters.forEach(List::clear);
        aborted = true;
        return dropped;
    }

    public int sends() {
        return sends.stream().mapToInt(List::size).sum();
    }

    public List<Integer> waiters() {
        return waiters.stream().flatMap(List::stream).toList();
    }
}
