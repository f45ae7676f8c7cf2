package io.tensorferry.it.benchmark.gpu;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.HostPin;
import io.tensorferry.it.benchmark.exchange.Arrival;
import io.tensorferry.it.benchmark.exchange.TensorConsumer;
import io.tensorferry.verbs.config.AcceleratorOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A limit: copies a tensor within an accelerator's memory through pinned host memory, with a stream for each
/// direction, without another process or a transport. As in the transport, the pieces of a tensor are pipelined: one
/// piece is copied out while the previous one is copied in. For one thread.
public final class CopiesConsumer implements TensorConsumer {
    private static final int PAGE = 4096;
    private static final int PIECE = AcceleratorOptions.defaults().pieceBytes();

    private final TensorDevice device;
    private final DeviceStream out;
    private final DeviceStream in;
    private List<Slot> slots = List.of();
    private @Nullable DeviceMemory source;
    private long bytes = -1;

    public CopiesConsumer() {
        this.device = TensorDevice.open();
        this.out = device.accelerator().openStream();
        this.in = device.accelerator().openStream();
    }

    @Override
    public String device() {
        return device.label();
    }

    @Override
    public void begin(long bytes, int count, int slots) {
        if (bytes == this.bytes && slots <= this.slots.size()) {
            return;
        }
        giveBack();
        var fresh = new ArrayList<Slot>();
        this.slots = fresh;
        this.source = allocate(bytes);
        new DeviceBytes(device.accelerator(), source.address(), bytes).fill();
        for (int slot = 0; slot < slots; slot++) {
            fresh.add(new Slot(bytes));
        }
        this.bytes = bytes;
    }

    private DeviceMemory allocate(long bytes) {
        return device.accelerator().allocate(Math.max(1, bytes));
    }

    @Override
    public void ask(int slot, Arrival arrival) {
        slots.get(slot).copy(arrival);
    }

    @Override
    public boolean isPolled() {
        return true;
    }

    @Override
    public void progress() {
        slots.forEach(Slot::look);
        Thread.onSpinWait();
    }

    private void giveBack() {
        slots.forEach(Slot::close);
        slots = List.of();
        if (source != null) {
            source.close();
            source = null;
        }
    }

    @Override
    public void close() {
        giveBack();
        out.close();
        in.close();
        device.close();
    }

    /// A slot for one tensor, with pinned memory for all of it.
    private final class Slot implements AutoCloseable {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment host;
        private final HostPin pin;
        private final DeviceMemory target;
        private final long address;
        private @Nullable Arrival arrival;
        private @Nullable DeviceEvent done;

        Slot(long bytes) {
            MemorySegment pages = arena.allocate(Math.max(1, (bytes + PAGE - 1) / PAGE) * PAGE, PAGE);
            this.host = pages.asSlice(0, bytes);
            this.pin = device.accelerator().pin(pages);
            this.target = allocate(bytes);
            this.address = target.address();
        }

        void copy(Arrival arrival) {
            DeviceMemory from = source;
            if (from == null) {
                throw new IllegalStateException("no transfer was begun");
            }
            this.arrival = arrival;
            for (long offset = 0; offset < host.byteSize(); offset += PIECE) {
                MemorySegment piece = host.asSlice(offset, Math.min(PIECE, host.byteSize() - offset));
                out.copyToHost(from.address() + offset, piece);
                try (DeviceEvent copied = out.record()) {
                    in.await(copied);
                }
                in.copyFromHost(piece, address + offset);
            }
            done = in.record();
        }

        /// Reports the arrival once the copies are done.
        void look() {
            DeviceEvent event = done;
            Arrival told = arrival;
            if (event == null || told == null || !event.isReached()) {
                return;
            }
            event.close();
            done = null;
            arrival = null;
            Accelerator accelerator = device.accelerator();
            told.arrivedOnDevice(new DeviceBytes(accelerator, address, host.byteSize()));
            told.slotIsFree();
        }

        /// Releases the slot. No copy may be in progress.
        @Override
        public void close() {
            pin.close();
            target.close();
            arena.close();
        }
    }
}
