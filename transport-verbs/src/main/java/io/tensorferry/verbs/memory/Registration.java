package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A user's memory that is registered with the device, so that tensors in it travel without a copy.
///
/// Ownership: the caller that registered the memory closes the registration before it frees the memory, and after every
/// tensor in it has been closed and its transfers have ended. While open, the registration keeps the segment reachable,
/// so that an automatic arena does not end during a transfer. The user keeps accelerator memory alive. Threading: any
/// thread.
public final class Registration implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

    private final @Nullable MemorySegment memory;
    private final MemoryRegion region;
    private final Consumer<Registration> onClose;
    private final AtomicBoolean closed = new AtomicBoolean();

    /// @param memory null for accelerator memory
    Registration(@Nullable MemorySegment memory, MemoryRegion region, Consumer<Registration> onClose) {
        this.memory = memory;
        this.region = region;
        this.onClose = onClose;
    }

    /// The memory; null if the processor cannot access it.
    public @Nullable MemorySegment memory() {
        return memory;
    }

    public MemoryRegion region() {
        return region;
    }

    /// Deregisters the memory, which is not freed. Later calls have no effect.
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
