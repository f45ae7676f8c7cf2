package io.tensorferry.grpc.tensors;

import java.util.LinkedHashSet;

/// Limits the bytes in gRPC's buffers per peer: each stream acquires a share before its first byte and returns it when
/// its call has ended.
///
/// Without a limit, ten thousand receives whose tensors become available at once would fill the memory with copies that
/// wait for the network. Shares are granted in FIFO order.
///
/// Threading: any thread. `onGranted` runs outside the lock.
final class SendBudget {
    private final long total;
    private final LinkedHashSet<Share> queue = new LinkedHashSet<>();
    private long available;

    SendBudget(long bytes) {
        this.total = bytes;
        this.available = bytes;
    }

    /// The share of one stream. One thread at a time calls its methods.
    final class Share {
        private final long bytes;
        private final Runnable onGranted;
        // Both guarded by the budget.
        private boolean granted;
        private boolean returned;

        private Share(long bytes, Runnable onGranted) {
            this.bytes = bytes;
            this.onGranted = onGranted;
        }

        boolean isGranted() {
            synchronized (SendBudget.this) {
                return granted;
            }
        }

        /// Returns the share, or withdraws the request for it. The second and later calls do nothing.
        void giveBack() {
            synchronized (SendBudget.this) {
                if (returned) {
                    return;
                }
                returned = true;
                if (granted) {
                    available += bytes;
                } else {
                    queue.remove(this);
                }
            }
            grant();
        }
    }

    /// Requests a share of `bytes`, capped at the whole budget. `onGranted` runs when it is granted, possibly before
    /// this method returns.
    Share ask(long bytes, Runnable onGranted) {
        var share = new Share(Math.min(bytes, total), onGranted);
        synchronized (this) {
            queue.add(share);
        }
        grant();
        return share;
    }

    private void grant() {
        while (true) {
            Share next;
            synchronized (this) {
                if (queue.isEmpty() || queue.getFirst().bytes > available) {
                    return;
                }
                next = queue.removeFirst();
                available -= next.bytes;
                next.granted = true;
            }
            next.onGranted.run();
        }
    }
}
