package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJJ_Result;

/// A reader of a refusal sees the operations executed before it, and a reader of an executed READ sees its data.
@JCStressTest
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Nothing yet.")
@Outcome(id = "0, 0, 4, 43", expect = Expect.ACCEPTABLE, desc = "The data, and not yet that it is executed.")
@Outcome(id = "0, 1, 4, 43", expect = Expect.ACCEPTABLE, desc = "It is executed.")
@Outcome(id = "9, 1, 4, 43", expect = Expect.ACCEPTABLE, desc = "And the next one is refused.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An answer without what it stands for.")
@State
public class RingAnswersStress {
    private final MemorySegment data = Arena.ofAuto().allocate(64, 64);
    private final RingFile ring = RingFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(4096, 64)));

    @Actor
    public void responder() {
        data.set(ValueLayout.JAVA_INT, 0, 43);
        ring.setReadTail(Integer.BYTES);
        ring.setExecuted(1);
        ring.setRefusal(9);
    }

    /// Looks in the order in which [RingRequester] does.
    @Actor
    public void requester(JJJJ_Result result) {
        result.r1 = ring.refusal();
        result.r2 = ring.executed();
        result.r3 = ring.readTail();
        result.r4 = result.r3 == 0 ? 0 : data.get(ValueLayout.JAVA_INT, 0);
    }
}
