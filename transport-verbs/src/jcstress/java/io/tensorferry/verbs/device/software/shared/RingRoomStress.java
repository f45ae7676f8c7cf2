package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// A thread that finds a ring full and requests room sees room, or the thread that frees room sees the request.
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both: a wake-up too many.")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "It sees that there is room.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "It is told that there is room.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "It waits for room that is there.")
@State
public class RingRoomStress {
    private final RingFile ring = RingFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(4096, 64)));
    private final DeviceFile device =
            DeviceFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(8192, 64)));

    @Actor
    public void requester(ZZ_Result result) {
        ring.setWantsRoom(true);
        result.r1 = ring.head() == 1;
    }

    /// Does what [RingResponder] does to make its progress known, in the same order.
    @Actor
    public void responder(ZZ_Result result) {
        ring.setHead(1);
        device.mark(5);
        result.r2 = ring.wantsRoom();
    }
}
