package io.tensorferry.verbs.device.software.core;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The queue pairs that await service, as a list linked through the queue pairs, so that adding one allocates nothing.
///
/// Threading: any thread adds; the loop takes.
public final class ReadyList {
    private final AtomicReference<@Nullable SoftwareQueuePair> newest = new AtomicReference<>();

    /// @param queuePair a queue pair that is not in the list
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

    /// Serves each queue pair that is in the list at the call, in insertion order.
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
            // Unlink before the service, because the queue pair may be added again once its service has begun.
            oldest = queuePair.nextReady;
            queuePair.nextReady = null;
            queuePair.service();
        }
    }
}
