package io.tensorferry.verbs.partition;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Registered buffers for rows that are copied to their places after they arrive: a few buffers for all gathers of one
/// tensor, allocated on first use.
///
/// Owner: the loop.
final class Staging {
    /// The size of one buffer, 512 KiB.
    static final int BYTES = 1 << 19;

    private static final int MOST_BUFFERS = 8;

    private final PartitionContext context;
    private final ArrayDeque<RegisteredBuffer> free = new ArrayDeque<>();
    private final Set<RowSource> waiting = new LinkedHashSet<>();
    // The number of buffers that exist or are being allocated.
    private int made;
    private boolean closed;

    Staging(PartitionContext context) {
        this.context = context;
    }

    /// Returns a buffer, or null if none is free; `waiter` then pumps when a buffer is free, or fails.
    @Nullable
    RegisteredBuffer take(RowSource waiter) {
        RegisteredBuffer buffer = free.poll();
        if (buffer == null) {
            waiting.add(waiter);
            if (made < MOST_BUFFERS) {
                made++;
                context.work(this::make);
            }
        }
        return buffer;
    }

    private void make() {
        try {
            RegisteredBuffer buffer = context.memory().allocateNow(BYTES);
            context.loop().execute(() -> giveBack(buffer));
        } catch (TransportException e) {
            context.loop().execute(() -> onRefused(e));
        }
    }

    private void onRefused(TransportException cause) {
        made--;
        if (made == 0) {
            List<RowSource> failed = List.copyOf(waiting);
            waiting.clear();
            failed.forEach(source -> source.failAll(cause));
        }
    }

    void giveBack(RegisteredBuffer buffer) {
        if (closed) {
            buffer.close();
            return;
        }
        free.push(buffer);
        for (RowSource source : List.copyOf(waiting)) {
            if (free.isEmpty()) {
                return;
            }
            waiting.remove(source);
            source.pump();
        }
    }

    /// Closes the free buffers; those in use are closed when they are given back.
    void close() {
        closed = true;
        waiting.clear();
        free.forEach(RegisteredBuffer::close);
        free.clear();
    }
}
