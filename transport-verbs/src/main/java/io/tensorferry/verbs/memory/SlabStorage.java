package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The memory of one slab, as its source made it.
///
/// It ends in two steps, each once and in this order, because an address may be in use where no device knows it any
/// more: [#deregister()], then [#free()]. The pool calls them. Threading: any thread.
public interface SlabStorage {
    /// Of the first byte, as the memory's device counts; a multiple of 64. No other memory of this process has it.
    long address();

    /// As many as were asked for.
    long byteSize();

    /// The memory itself; null where the processor does not reach it.
    @Nullable
    MemorySegment segment();

    /// Its registration with the RDMA device; null where that does not know it.
    @Nullable
    MemoryRegion region();

    /// Ends what devices know of the memory: from then on none reaches it by itself.
    ///
    /// @throws RuntimeException if one may still reach it; then the memory is never freed
    void deregister();

    /// Gives the memory back: no device knows it, and nobody holds a piece of it.
    void free();
}
