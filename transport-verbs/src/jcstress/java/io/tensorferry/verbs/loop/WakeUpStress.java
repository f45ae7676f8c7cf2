package io.tensorferry.verbs.loop;

import io.tensorferry.verbs.device.CompletionChannel;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/// A command that is given while the loop goes to sleep is run before it sleeps, or wakes it. The queue of commands
/// is at the end of a piece of memory, so that the command is put into the next one.
///
/// Results: whether the command ran, whether the loop slept, whether it was woken up.
@JCStressTest
@Outcome(id = "0, 1, 1", expect = Expect.ACCEPTABLE, desc = "It sleeps and is woken up.")
@Outcome(id = "1, 0, .", expect = Expect.ACCEPTABLE, desc = "The command came before it slept.")
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "The command came before it slept; woken all the same.")
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "It ran, and then there was nothing more to do.")
@Outcome(id = "0, 0, .", expect = Expect.ACCEPTABLE, desc = "It had other work; it looks again before it sleeps.")
@Outcome(id = "0, 1, 0", expect = Expect.FORBIDDEN, desc = "It sleeps on a command, and nobody wakes it up.")
@State
public class WakeUpStress {
    private final Channel channel = new Channel();
    private final CompletionLoop loop = new CompletionLoop(channel, () -> 0, 2);
    private int ran;

    public WakeUpStress() {
        loop.execute(() -> {});
        // So that the loop has only to sleep. With the command above it would have other work.
        loop.doWork();
        loop.execute(() -> {});
    }

    /// A sleep from which only a wake-up could wake.
    private static final class AsleepException extends RuntimeException {
        private static final long serialVersionUID = 1;

        AsleepException() {
            super("asleep", null, false, false);
        }
    }

    private static final class Channel implements CompletionChannel {
        private int slept;
        private volatile int woken;

        @Override
        public void await(long timeoutNs) {
            slept = 1;
            throw new AsleepException();
        }

        @Override
        public void wakeUp() {
            woken = 1;
        }

        @Override
        public void close() {}
    }

    @Actor
    public void caller() {
        loop.execute(() -> ran = 1);
    }

    @Actor
    public void owner() {
        loop.doWork();
        try {
            loop.sleep();
        } catch (AsleepException _) {
            // And so it stays.
        }
    }

    @Arbiter
    public void result(III_Result result) {
        result.r1 = ran;
        result.r2 = channel.slept;
        result.r3 = channel.woken;
    }
}
