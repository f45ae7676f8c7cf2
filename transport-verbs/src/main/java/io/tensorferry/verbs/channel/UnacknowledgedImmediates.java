package io.tensorferry.verbs.channel;

import io.tensorferry.verbs.wire.Immediate;
import java.util.Collection;

/// The immediates that were sent on one queue pair and that the peer has not acknowledged yet, oldest first.
///
/// The peer takes them in the order sent, so an acknowledgement, which is a mere count, tells which they were.
///
/// Owner: the loop.
final class UnacknowledgedImmediates {
    private final int[] circle;
    private int head;
    private int size;

    /// @param most how many can be unacknowledged at once
    UnacknowledgedImmediates(int most) {
        this.circle = new int[most];
    }

    void sent(int immediate) {
        circle[(head + size) % circle.length] = immediate;
        size++;
    }

    /// The peer has taken the oldest `count`; returns how many of them were control messages.
    int acknowledged(int count) {
        int messages = 0;
        for (int i = 0; i < count; i++) {
            if (circle[head] == Immediate.CONTROL_MESSAGE) {
                messages++;
            }
            head = (head + 1) % circle.length;
        }
        size -= count;
        return messages;
    }

    /// Adds the request indexes among them, oldest first.
    void addRequestIndexes(Collection<Integer> indexes) {
        for (int i = 0; i < size; i++) {
            int immediate = circle[(head + i) % circle.length];
            if (Immediate.isRequestIndex(immediate)) {
                indexes.add(immediate);
            }
        }
    }
}
