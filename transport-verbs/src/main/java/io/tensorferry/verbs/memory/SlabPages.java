package io.tensorferry.verbs.memory;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.PageMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/// Faults in the pages of a large slab with several threads before the slab is registered. Zeroing the pages takes most
/// of the time of a registration, and a device's driver triggers it page by page on the registering thread.
///
/// Owned by the call that creates it; its threads end with that call.
final class SlabPages {
    /// The size below which threads cost more than they save.
    static final long LEAST_BYTES = 256L << 20;

    private static final long PIECE_BYTES = 32L << 20;
    private static final int MOST_THREADS = 8;
    private static final int ENOMEM = 12;
    private static final int EFAULT = 14;

    private final MemorySegment slab;
    private final AtomicLong next = new AtomicLong();
    private final AtomicInteger failure = new AtomicInteger();

    private SlabPages(MemorySegment slab) {
        this.slab = slab;
    }

    /// Faults in all pages of `slab`. If the kernel does not support this, the registration does it.
    ///
    /// @param slab page-aligned host memory
    /// @throws TransportException `RESOURCE_EXHAUSTED` if there is no memory for the pages
    static void populate(MemorySegment slab) {
        var pages = new SlabPages(slab);
        long pieces = (slab.byteSize() + PIECE_BYTES - 1) / PIECE_BYTES;
        int threads = (int)
                Math.min(pieces, Math.min(MOST_THREADS, Runtime.getRuntime().availableProcessors()));
        List<Thread> helpers = new ArrayList<>(threads - 1);
        for (int i = 1; i < threads; i++) {
            helpers.add(Thread.ofPlatform()
                    .daemon()
                    .name("tensorferry-slab-pages-" + i)
                    .start(pages::populatePieces));
        }
        pages.populatePieces();
        helpers.forEach(SlabPages::join);
        int errno = pages.failure.get();
        if (errno == ENOMEM || errno == EFAULT) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    "the system has no memory for a slab of " + slab.byteSize() + " bytes, errno " + errno,
                    null,
                    errno,
                    null);
        }
    }

    private void populatePieces() {
        try (var call = new NativeCall()) {
            for (long at = next.getAndAdd(PIECE_BYTES);
                    at < slab.byteSize() && failure.get() == 0;
                    at = next.getAndAdd(PIECE_BYTES)) {
                if (PageMemory.populate(call, slab.asSlice(at, Math.min(PIECE_BYTES, slab.byteSize() - at))) != 0) {
                    failure.set(call.errno());
                }
            }
        }
    }

    /// The kernel writes to the pages until the thread has ended, so an interrupt does not end the wait.
    private static void join(Thread helper) {
        boolean interrupted = false;
        while (helper.isAlive()) {
            try {
                helper.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
