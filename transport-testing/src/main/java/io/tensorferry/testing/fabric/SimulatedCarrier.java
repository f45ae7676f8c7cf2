package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.software.core.Carrier;
import io.tensorferry.verbs.device.software.core.DeviceLoop;
import io.tensorferry.verbs.device.software.core.Link;
import io.tensorferry.verbs.device.software.core.SoftwareDevice;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/// One simulated device's carrier and loop. The loop is the fabric's clock.
///
/// Threading: the fabric's thread.
final class SimulatedCarrier implements Carrier, DeviceLoop {
    private final SimulatedFabric fabric;
    private final String node;
    private final SimulatedPort port;
    private @Nullable SoftwareDevice device;
    private boolean alive = true;
    // The time at which the link has sent all messages queued so far.
    private long linkFreeAt;

    SimulatedCarrier(SimulatedFabric fabric, String node, SimulatedPort port) {
        this.fabric = fabric;
        this.node = node;
        this.port = port;
    }

    SimulatedFabric fabric() {
        return fabric;
    }

    String node() {
        return node;
    }

    SimulatedPort port() {
        return port;
    }

    /// The delay of a message of this size that is sent now.
    long sendDelay(long bytes) {
        long rate = fabric.options().linkRate();
        long delay = fabric.drawDelay(bytes);
        if (rate == 0) {
            return delay;
        }
        // The delay already contains the message's own transfer time.
        long waits = Math.max(0, linkFreeAt - fabric.now());
        linkFreeAt = fabric.now() + waits + bytes * 1_000 / rate;
        return delay + waits;
    }

    boolean isAlive() {
        return alive;
    }

    @Nullable
    SimulatedLink link(int queuePairNumber) {
        SoftwareQueuePair queuePair = device == null ? null : device.queuePair(queuePairNumber);
        return queuePair == null ? null : (SimulatedLink) queuePair.link();
    }

    void kill() {
        if (alive) {
            if (device != null) {
                device.forEachQueuePair(queuePair -> ((SimulatedLink) queuePair.link()).tear());
            }
            alive = false;
        }
    }

    void fail() {
        if (alive && device != null) {
            device.fail();
        }
    }

    void report(AsyncEvent event) {
        if (alive && device != null) {
            device.report(event);
        }
    }

    void setPortDown(boolean down) {
        if (alive && device != null) {
            device.setPortDown(down);
        }
    }

    /// Fails the completion queue of one queue pair.
    ///
    /// @return whether the device has a queue pair
    boolean failCompletionQueue() {
        var found = new ArrayList<SoftwareQueuePair>();
        if (alive && device != null) {
            device.forEachQueuePair(found::add);
        }
        found.stream().limit(1).forEach(queuePair -> queuePair.device().failCompletionQueueOf(queuePair));
        return !found.isEmpty();
    }

    @Override
    public DeviceLoop loop() {
        return this;
    }

    @Override
    public Gid gid() {
        return port.first();
    }

    @Override
    public int gidTableLength() {
        return port.length();
    }

    @Override
    public Gid gid(int index) {
        return port.gid(index);
    }

    @Override
    public int partitionKey() {
        return port.partitionKey();
    }

    @Override
    public int lid() {
        return port.lid();
    }

    @Override
    public void start(SoftwareDevice owner) {
        device = owner;
        fabric.add(this);
    }

    @Override
    public Link link(SoftwareQueuePair queuePair) {
        return new SimulatedLink(this, queuePair);
    }

    @Override
    public long now() {
        return fabric.now();
    }

    @Override
    public void schedule(long delayNs, Runnable action) {
        fabric.schedule(delayNs, () -> {
            if (alive) {
                action.run();
            }
        });
    }

    @Override
    public void submit(Runnable action) {
        schedule(0, action);
    }

    @Override
    public void run(Runnable action) {
        action.run();
    }

    @Override
    public void ready(SoftwareQueuePair queuePair) {
        schedule(0, queuePair::service);
    }

    @Override
    public boolean mayBeAwaited() {
        return false;
    }

    @Override
    public void close() {
        alive = false;
        fabric.remove(this);
    }
}
