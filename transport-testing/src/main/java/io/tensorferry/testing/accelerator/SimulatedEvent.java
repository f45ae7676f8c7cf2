package io.tensorferry.testing.accelerator;

import io.tensorferry.api.DeviceEvent;
import java.util.ArrayList;
import java.util.List;

/// An event of a simulated accelerator. Guarded by the accelerator's lock.
final class SimulatedEvent implements DeviceEvent {
    private final SimulatedAccelerator device;
    private final List<Runnable> waiting = new ArrayList<>();
    private boolean reached;
    private boolean closed;

    SimulatedEvent(SimulatedAccelerator device) {
        this.device = device;
    }

    /// Marks the event as reached: all earlier operations of its stream are complete.
    void reach() {
        reached = true;
        device.notifyAll();
        var ready = List.copyOf(waiting);
        waiting.clear();
        ready.forEach(Runnable::run);
    }

    boolean isOf(SimulatedAccelerator accelerator) {
        return device.equals(accelerator);
    }

    boolean isReachedNow() {
        return reached;
    }

    /// Runs `action` when the event is reached. The event must not be reached yet.
    void whenReached(Runnable action) {
        waiting.add(action);
    }

    @Override
    public boolean isReached() {
        synchronized (device) {
            device.checkUsable();
            checkOpen();
            return reached;
        }
    }

    @Override
    public void await() throws InterruptedException {
        synchronized (device) {
            device.checkUsable();
            checkOpen();
            if (!reached && !device.mayWait()) {
                throw device.mistake("a thread cannot wait for an event in virtual time");
            }
            while (!reached) {
                device.wait();
                device.checkUsable();
            }
        }
    }

    void checkOpen() {
        if (closed) {
            throw device.mistake("an event was used after it was closed");
        }
    }

    @Override
    public void close() {
        synchronized (device) {
            device.called();
            if (!closed) {
                closed = true;
                device.eventClosed();
            }
        }
    }
}
