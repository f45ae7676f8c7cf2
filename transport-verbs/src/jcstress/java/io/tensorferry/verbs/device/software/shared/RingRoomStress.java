package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.verbs.device.software.core.Request;
import java.lang.foreign.Arena;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/// A requester that finds the ring full sees that a request was taken, or the responder that takes one sees that the
/// requester waits.
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both: an unneeded wake-up.")
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The requester sees the room.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The responder wakes the requester.")
@Outcome(id = "false, false", expect = Expect.FORBIDDEN, desc = "The requester waits for room that is there.")
@State
public class RingRoomStress {
    private static final int LINE = 5;

    private final RingFile ring = RingFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(12_288, 64)));
    private final DeviceFile device =
            DeviceFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(8192, 64)));
    private final RequestWriter writer = new RequestWriter(ring);
    private final AnswerWriter answers = new AnswerWriter(ring, device, LINE);

    public RingRoomStress() {
        var request = new Request();
        for (int i = 0; i < RingFile.REQUESTS; i++) {
            writer.put(0, request);
        }
    }

    @Actor
    public void requester(ZZ_Result result) {
        result.r1 = writer.hasRoom();
    }

    @Actor
    public void responder(ZZ_Result result) {
        result.r2 = answers.publish(1, 0, 1, false);
    }
}
