package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// The ringing thread sees a sleeping thread, or the thread that is about to sleep sees the ring.
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both: a wake-up too many.")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The sleeper is woken.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "Nobody sleeps.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "Somebody sleeps, and nobody wakes him.")
@State
public class RingAndSleepStress {
    private final DeviceFile device =
            DeviceFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(8192, 64)));

    @Actor
    public void ringer(ZZ_Result result) {
        device.mark(5);
        result.r1 = device.hasSleeper(DeviceFile.AWAITING);
    }

    @Actor
    public void sleeper(ZZ_Result result) {
        device.addSleeper(DeviceFile.AWAITING);
        result.r2 = device.isMarked();
    }
}
