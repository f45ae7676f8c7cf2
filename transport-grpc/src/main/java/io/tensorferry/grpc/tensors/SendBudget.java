package io.tensorferry.grpc.tensors;

import java.util.LinkedHashSet;

/// How many bytes may lie in gRPC's buffers for one peer: a stream takes its share before its first byte and gives
/// it back when the call has ended.
///
/// Without it, ten thousand receives that find their tensors at once would fill the memory with copies that wait
/// for the network. First come, first served.
///
/// Threading: any thread. Grants are told outside the lock.
final class SendBudget {
    private final long total;
    private final LinkedHashSet<Share> queue = new LinkedHashSet<>();
    private long available;

    SendBudget(long bytes) {
        this.total = bytes;
        this.available = bytes;
    }

    /// One stream's part. Its methods are called by one thread at a time.
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

        /// Gives the share back, or the wish for it up. The second and later calls do nothing.
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

    /// Asks for a share, at most all there is; `onGranted` runs when it is granted, perhaps before this returns.
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
