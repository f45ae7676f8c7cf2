package io.tensorferry.verbs.channel.lane;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.setup.ChannelContext;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.VerbsException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The unbound memory windows of one channel. When empty, it grows by a batch on a background thread, because
/// allocation may take long. It never shrinks before the channel's end.
///
/// Owner: the loop.
public final class WindowPool {
    private static final Logger LOG = LoggerFactory.getLogger(WindowPool.class);
    private static final int BATCH = 16;

    private final ChannelContext context;
    private final Runnable onGrown;
    private final Consumer<TransportException> onRefused;
    private final ArrayDeque<MemoryWindow> free = new ArrayDeque<>();
    private boolean growing;
    private boolean closed;

    /// @param onGrown called when windows are available again
    /// @param onRefused called when the device allocates no more
    WindowPool(ChannelContext context, Runnable onGrown, Consumer<TransportException> onRefused) {
        this.context = context;
        this.onGrown = onGrown;
        this.onRefused = onRefused;
    }

    /// Takes a window, or returns null; then `onGrown` or `onRefused` follows.
    @Nullable
    MemoryWindow take() {
        MemoryWindow window = free.poll();
        if (window == null && !growing && !closed) {
            growing = true;
            context.background().execute(this::grow);
        }
        return window;
    }

    void give(MemoryWindow window) {
        free.add(window);
    }

    /// Runs on a background thread.
    private void grow() {
        List<MemoryWindow> made = new ArrayList<>();
        VerbsException failure = null;
        try {
            for (int i = 0; i < BATCH; i++) {
                made.add(context.domain().allocateWindow());
            }
        } catch (VerbsException e) {
            failure = e;
        }
        VerbsException why = failure;
        context.loop().execute(() -> onMade(made, why));
    }

    private void onMade(List<MemoryWindow> made, @Nullable VerbsException failure) {
        growing = false;
        if (closed) {
            context.background().execute(() -> closeAll(made));
        } else if (made.isEmpty() && failure != null) {
            onRefused.accept(new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "no memory window is left for the request",
                    null,
                    failure.errno(),
                    failure));
        } else {
            free.addAll(made);
            onGrown.run();
        }
    }

    /// Stops growing.
    ///
    /// @return the free windows, which the caller closes
    List<MemoryWindow> close() {
        closed = true;
        List<MemoryWindow> left = List.copyOf(free);
        free.clear();
        return left;
    }

    /// Closes windows. Blocks on the device: must not be called on the loop.
    public static void closeAll(Iterable<MemoryWindow> windows) {
        for (MemoryWindow window : windows) {
            try {
                window.close();
            } catch (RuntimeException e) {
                LOG.error("the device failed to deallocate a memory window, which is leaked", e);
            }
        }
    }
}
