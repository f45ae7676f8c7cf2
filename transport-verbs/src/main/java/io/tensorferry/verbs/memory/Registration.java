package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Memory of a user that the device knows, so that tensors on it travel without a copy.
///
/// Ownership: whoever registered it closes it, before the memory is freed and after every tensor on it has been
/// closed and its transfers have ended. While it is open it keeps the segment reachable, so an automatic arena does
/// not end under the device; memory of an accelerator is the user's to keep. Threading: any thread.
public final class Registration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

    private final @Nullable MemorySegment memory;
    private final MemoryRegion region;
    private final Consumer<Registration> onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    /// @param memory null for an accelerator's
    Registration(@Nullable MemorySegment memory, MemoryRegion region, Consumer<Registration> onClose) {
        this.memory = memory;
        this.region = region;
        this.onClose = onClose;
    }

    /// Null where the processor does not reach it.
    public @Nullable MemorySegment memory() {
        return memory;
    }

    public MemoryRegion region() {
        return region;
    }

    /// Ends the registration; the memory itself is untouched. The second and later calls do nothing.
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            onClose.accept(this);
            try {
                region.close();
            } catch (RuntimeException e) {
                LOG.error(
                        "user memory of {} bytes could not be deregistered; the device may still reach it",
                        region.byteSize(),
                        e);
            }
        }
    }
}
