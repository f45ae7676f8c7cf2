package io.tensorferry.testing.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DmaBuf;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.bindings.OwnedDescriptor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Memory of a simulated accelerator.
///
/// Exportable memory is a memory file, which software devices map. If NIC writes are not visible without a flush, the
/// accelerator keeps a second copy of the content: the accelerator writes to both, a NIC writes to the file only, until
/// the accelerator flushes.
///
/// Threading: under the lock of the accelerator.
final class SimulatedMemory implements DeviceMemory {
    private static final byte FREED = (byte) 0xDD;
    private static final long ALIGNMENT = 256;

    private final SimulatedAccelerator device;
    private final long address;
    private final long bytes;
    private final Arena arena;
    private final MemorySegment content;
    private final @Nullable MemoryFile file;
    private final NicWrites nicWrites;

    SimulatedMemory(SimulatedAccelerator device, long address, long bytes, SimulatedAcceleratorOptions options) {
        this.device = device;
        this.address = address;
        this.bytes = bytes;
        this.nicWrites = options.nicWrites();
        // A shared arena closes the descriptor at once.
        this.arena = options.exportable() ? Arena.ofShared() : Arena.ofAuto();
        this.file = options.exportable() ? createFile() : null;
        this.content =
                file == null || nicWrites != NicWrites.VISIBLE ? arena.allocate(bytes, ALIGNMENT) : file.memory();
    }

    private MemoryFile createFile() {
        String obstacle = MemoryFile.obstacle();
        if (obstacle != null) {
            arena.close();
            throw new TransportException(StatusCode.UNIMPLEMENTED, obstacle);
        }
        try {
            return MemoryFile.create("tensorferry-accelerator", bytes, true, arena);
        } catch (IOException e) {
            arena.close();
            throw new TransportException(StatusCode.RESOURCE_EXHAUSTED, "no file for memory of " + device, e);
        }
    }

    @Override
    public Accelerator device() {
        return device;
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long byteSize() {
        return bytes;
    }

    MemorySegment slice(long from, long length) {
        return content.asSlice(from - address, length);
    }

    void written(long from, long length) {
        if (file != null && nicWrites != NicWrites.VISIBLE) {
            MemorySegment.copy(content, from - address, file.memory(), from - address, length);
        }
    }

    void flush() {
        if (file != null && nicWrites == NicWrites.AFTER_FLUSH) {
            content.copyFrom(file.memory());
        }
    }

    /// @throws TransportException if the memory is in no file, or the process has too many open files
    DmaBuf export(long from) {
        if (file == null) {
            throw new TransportException(StatusCode.UNIMPLEMENTED, device + " exports no memory");
        }
        try {
            return new Export(file.duplicate(), from - address);
        } catch (IOException e) {
            throw new TransportException(StatusCode.UNIMPLEMENTED, device + " exports no memory: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        synchronized (device) {
            if (device.free(this)) {
                // Overwrite the content, so that a mapping that still uses the freed memory sees garbage.
                content.fill(FREED);
                written(address, bytes);
                if (file != null) {
                    arena.close();
                }
            }
        }
    }

    private final class Export implements DmaBuf {
        private final OwnedDescriptor descriptor;
        private final long offset;
        private boolean closed;

        Export(OwnedDescriptor descriptor, long offset) {
            this.descriptor = descriptor;
            this.offset = offset;
        }

        @Override
        public int fileDescriptor() {
            return descriptor.number();
        }

        @Override
        public long offset() {
            return offset;
        }

        @Override
        public void close() {
            synchronized (device) {
                if (!closed) {
                    closed = true;
                    descriptor.close();
                    device.exportClosed();
                }
            }
        }
    }
}
