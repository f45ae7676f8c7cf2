package io.tensorferry.verbs.device.software.core;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The queue pairs that want service: a list through the queue pairs themselves, so that adding one allocates
/// nothing.
///
/// Threading: any thread adds; the loop takes.
public final class ReadyList {
    private final AtomicReference<@Nullable SoftwareQueuePair> newest = new AtomicReference<>();

    /// @param queuePair one that is not in the list
    public void add(SoftwareQueuePair queuePair) {
        SoftwareQueuePair head;
        do {
            head = newest.get();
            queuePair.nextReady = head;
        } while (!newest.compareAndSet(head, queuePair));
    }

    public boolean isEmpty() {
        return newest.get() == null;
    }

    /// Serves each one that is in the list now, in the order added.
    public void serve() {
        SoftwareQueuePair oldest = null;
        for (SoftwareQueuePair at = newest.getAndSet(null); at != null; ) {
            SoftwareQueuePair older = at.nextReady;
            at.nextReady = oldest;
            oldest = at;
            at = older;
        }
        while (oldest != null) {
            SoftwareQueuePair queuePair = oldest;
            // Before its service: from then on it may be added again.
            oldest = queuePair.nextReady;
            queuePair.nextReady = null;
            queuePair.service();
        }
    }
}
