package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// A thread that marks a line wakes a sleeper, or the thread that is about to sleep sees the mark.
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both: an unneeded wake-up.")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The sleeper is woken.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The other thread does not sleep.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "The other thread sleeps, and is not woken.")
@State
public class RingAndSleepStress {
    private final DeviceFile device =
            DeviceFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(8192, 64)));
    private final int before = device.awaitingWord();

    @Actor
    public void ringer(ZZ_Result result) {
        device.mark(5);
        device.wake();
        result.r1 = device.awaitingWord() != before;
    }

    @Actor
    public void sleeper(ZZ_Result result) {
        device.addSleeper(DeviceFile.AWAITING);
        result.r2 = device.isMarked();
    }
}
