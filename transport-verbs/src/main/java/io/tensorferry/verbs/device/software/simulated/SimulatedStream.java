package io.tensorferry.verbs.device.software.simulated;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/// A stream of a simulated accelerator. All under the accelerator's lock.
///
/// A copy takes effect when whoever uses its memory too early would notice: its target is spoiled when it begins, its
/// source is read at some moment between beginning and end, and the target is right at the end.
final class SimulatedStream implements DeviceStream {
    private static final byte SPOILED = (byte) 0xDB;

    /// Something that is queued; calls [#next()] when it is done.
    private interface Work {
        void begin();
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
        synchronized (device) {
            check();
            device.checkPinned(target);
            device.memory(source, target.byteSize());
            add(() -> copy(SimulatedAccelerator.Way.TO_HOST, device.memory(source, target.byteSize()), target));
        }
    }

    @Override
    public void copyFromHost(MemorySegment source, long target) {
        synchronized (device) {
            check();
            device.checkPinned(source);
            device.memory(target, source.byteSize());
            add(() -> copy(SimulatedAccelerator.Way.FROM_HOST, source, device.memory(target, source.byteSize())));
        }
    }

    @Override
    public void copy(long source, long target, long bytes) {
        synchronized (device) {
            check();
            device.memory(source, bytes);
            device.memory(target, bytes);
            add(() -> copy(
                    SimulatedAccelerator.Way.FROM_HOST, device.memory(source, bytes), device.memory(target, bytes)));
        }
    }

    private void copy(SimulatedAccelerator.Way way, MemorySegment source, MemorySegment target) {
        if (device.takesFailure()) {
            return;
        }
        long bytes = source.byteSize();
        long beginNs = device.beginAfterNs(way, bytes);
        long endNs = device.endAfterNs(way, beginNs);
        long readNs = device.between(beginNs, endNs);
        var content = new byte[Math.toIntExact(bytes)];
        device.schedule(beginNs, () -> target.fill(SPOILED));
        device.schedule(
                readNs, () -> MemorySegment.copy(source, 0, MemorySegment.ofArray(content), 0, bytes));
        device.schedule(endNs, () -> {
            MemorySegment.copy(MemorySegment.ofArray(content), 0, target, 0, bytes);
            next();
        });
    }

    @Override
    public void await(DeviceEvent event) {
        synchronized (device) {
            check();
            var awaited = (SimulatedEvent) event;
            add(() -> awaited.whenReached(this::next));
        }
    }

    @Override
    public DeviceEvent record() {
        synchronized (device) {
            check();
            SimulatedEvent event = device.newEvent();
            add(() -> {
                event.reach();
                next();
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

    /// The first that is queued begins, unless another runs or streams are held.
    void beginNext() {
        if (running || device.isHeld()) {
            return;
        }
        Work work = queue.poll();
        if (work != null) {
            running = true;
            work.begin();
        }
    }

    boolean isIdle() {
        return !running && queue.isEmpty();
    }

    private void check() {
        device.checkUsable();
        if (closed) {
            throw device.mistake("a stream was used that is closed");
        }
    }

    @Override
    public void close() {
        synchronized (device) {
            device.called();
            if (!closed) {
                closed = true;
                device.streamClosed(this);
            }
        }
    }
}
