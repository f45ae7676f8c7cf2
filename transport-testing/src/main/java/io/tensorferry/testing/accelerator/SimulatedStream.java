package io.tensorferry.testing.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;

/// A stream of a simulated accelerator. Guarded by the accelerator's lock.
///
/// The timing of a copy exposes premature use of its memory: the target is overwritten with garbage at the beginning,
/// the source is read at a random time between beginning and end, and the target receives its content at the end.
final class SimulatedStream implements DeviceStream {
    private static final byte SPOILED = (byte) 0xDB;

    /// A queued operation.
    private interface Work {
        /// Begins the operation.
        ///
        /// @return whether it is complete; an incomplete operation calls [#next()] when it completes
        boolean begin();
    }

    private final SimulatedAccelerator device;
    private final Deque<Work> queue = new ArrayDeque<>();
    private boolean running;
    private boolean closed;

    SimulatedStream(SimulatedAccelerator device) {
        this.device = device;
    }

    @Override
    public Accelerator device() {
        return device;
    }

    @Override
    public void copyToHost(long source, MemorySegment target) {
        long bytes = target.byteSize();
        add(
                SimulatedAccelerator.Way.TO_HOST,
                bytes,
                () -> device.memory(source, bytes),
                () -> device.pinned(target),
                () -> {});
    }

    @Override
    public void copyFromHost(MemorySegment source, long target) {
        long bytes = source.byteSize();
        add(
                SimulatedAccelerator.Way.FROM_HOST,
                bytes,
                () -> device.pinned(source),
                () -> device.memory(target, bytes),
                () -> device.written(target, bytes));
    }

    @Override
    public void copy(long source, long target, long bytes) {
        add(
                SimulatedAccelerator.Way.FROM_HOST,
                bytes,
                () -> device.memory(source, bytes),
                () -> device.memory(target, bytes),
                () -> device.written(target, bytes));
    }

    /// @param source supplies the memory, or throws if it must not be used now. Called at each access, so that
    ///     premature release of the memory is detected
    /// @param target supplies the target memory in the same way
    /// @param written runs after each write to the target
    private void add(
            SimulatedAccelerator.Way way,
            long bytes,
            Supplier<MemorySegment> source,
            Supplier<MemorySegment> target,
            Runnable written) {
        synchronized (device) {
            check();
            var _ = source.get();
            var _ = target.get();
            add(() -> {
                copy(way, bytes, source, target, written);
                return false;
            });
        }
    }

    private void copy(
            SimulatedAccelerator.Way way,
            long bytes,
            Supplier<MemorySegment> source,
            Supplier<MemorySegment> target,
            Runnable written) {
        if (device.takesFailure()) {
            return;
        }
        long beginNs = device.beginAfterNs(way, bytes);
        long endNs = device.endAfterNs(way, beginNs);
        long readNs = device.between(beginNs, endNs);
        var content = MemorySegment.ofArray(new byte[Math.toIntExact(bytes)]);
        device.schedule(beginNs, () -> {
            target.get().fill(SPOILED);
            written.run();
        });
        device.schedule(readNs, () -> content.copyFrom(source.get()));
        device.schedule(endNs, () -> {
            target.get().copyFrom(content);
            written.run();
            next();
        });
    }

    @Override
    public void await(DeviceEvent event) {
        synchronized (device) {
            check();
            if (!(event instanceof SimulatedEvent awaited) || !awaited.isOf(device)) {
                throw device.mistake("a stream cannot wait for " + event);
            }
            awaited.checkOpen();
            add(() -> {
                boolean reached = awaited.isReachedNow();
                if (!reached) {
                    awaited.whenReached(this::next);
                }
                return reached;
            });
        }
    }

    @Override
    public DeviceEvent record() {
        synchronized (device) {
            check();
            SimulatedEvent event = device.newEvent();
            add(() -> {
                event.reach();
                return true;
            });
            return event;
        }
    }

    private void add(Work work) {
        queue.add(work);
        beginNext();
    }

    private void next() {
        running = false;
        beginNext();
    }

    /// Begins the next queued operation, unless another one runs or streams are held.
    void beginNext() {
        while (!running && !device.isHeld() && !device.isBroken()) {
            Work work = queue.poll();
            if (work == null) {
                if (closed) {
                    device.streamEnded(this);
                }
                return;
            }
            running = true;
            running = !work.begin();
        }
    }

    boolean isClosed() {
        return closed;
    }

    private void check() {
        device.checkUsable();
        if (closed) {
            throw device.mistake("a stream was used after it was closed");
        }
    }

    @Override
    public void close() {
        synchronized (device) {
            device.called();
            if (!closed) {
                closed = true;
                if (device.isBroken() || (!running && queue.isEmpty())) {
                    device.streamEnded(this);
                }
            }
        }
    }
}
