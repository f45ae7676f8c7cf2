package io.tensorferry.verbs.channel.setup;

import io.tensorferry.verbs.device.VerbsDevice;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;

/// Assigns completion vectors to channels round-robin, from a random start, so that neither one worker's channels nor
/// all workers of a machine share a single processor for their interrupts.
///
/// Threading: any thread.
public final class CompletionVectors {
    private final int count;
    private final AtomicInteger next;

    public CompletionVectors(VerbsDevice device, RandomGenerator random) {
        this.count = device.completionVectors();
        this.next = new AtomicInteger(count == 1 ? 0 : random.nextInt(count));
    }

    /// The vector for the next channel.
    int next() {
        return Math.floorMod(next.getAndIncrement(), count);
    }
}
