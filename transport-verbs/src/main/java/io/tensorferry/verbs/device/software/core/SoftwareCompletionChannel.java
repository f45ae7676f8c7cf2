package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.support.OpenChildren;

/// A channel on which a thread sleeps until a completion queue has a completion. In a simulation the wait returns at
/// once, and the driver of the clock continues.
///
/// Threading: one thread waits; the loop and any other thread wake it.
final class SoftwareCompletionChannel implements CompletionChannel {
    private final SoftwareDevice device;
    private final OpenChildren queues = new OpenChildren("completion channel");
    private final Bell bell;

    SoftwareCompletionChannel(SoftwareDevice device) {
        this.device = device;
        this.bell = device.loop().newBell();
    }

    @Override
    public void await(long timeoutNs) {
        bell.await(device.loop().mayBeAwaited() ? timeoutNs : 0);
    }

    @Override
    public void wakeUp() {
        bell.ring();
    }

    OpenChildren queues() {
        return queues;
    }

    @Override
    public void close() {
        if (queues.close("ibv_destroy_comp_channel")) {
            bell.close();
            device.children().remove();
        }
    }
}
