package io.tensorferry.verbs.channel.setup;

import io.tensorferry.verbs.device.VerbsDevice;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/// By which of the device's interrupts each channel's completions are announced: one after the other, from a random one
/// on, so that neither the channels of a worker nor the workers of a machine have all theirs handled by one processor.
///
/// Threading: any thread.
public final class CompletionVectors {
    private final int count;
    private final AtomicInteger next;

    public CompletionVectors(VerbsDevice device, RandomGenerator random) {
        this.count = device.completionVectors();
        this.next = new AtomicInteger(count == 1 ? 0 : random.nextInt(count));
    }

    /// The vector of another channel.
    int next() {
        return Math.floorMod(next.getAndIncrement(), count);
    }
}
