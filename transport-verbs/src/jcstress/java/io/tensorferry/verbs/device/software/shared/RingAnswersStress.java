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

/// A requester that sees a refusal sees the requests executed before it, and one that sees that a READ was executed
/// sees its data. On x86 this shows an order of the program or of the compiler only; see [RingFile] for other
/// processors.
@JCStressTest
@Outcome(id = "0, 0, 0, 0", expect = Expect.ACCEPTABLE, desc = "Nothing yet.")
@Outcome(id = "0, 0, 4, 43", expect = Expect.ACCEPTABLE, desc = "The data, and not yet that the READ was executed.")
@Outcome(id = "0, 1, 4, 43", expect = Expect.ACCEPTABLE, desc = "The READ was executed.")
@Outcome(id = "9, 1, 4, 43", expect = Expect.ACCEPTABLE, desc = "The next request was refused.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An answer without the answers before it, or without its data.")
@State
public class RingAnswersStress {
    private static final int LINE = 5;

    private final MemorySegment data = Arena.ofAuto().allocate(64, 64);
    private final RingFile ring = RingFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(4096, 64)));
    private final DeviceFile device =
            DeviceFile.of(new MemoryFile(-1, Arena.ofAuto().allocate(8192, 64)));
    private final AnswerWriter writer = new AnswerWriter(ring, device, LINE);
    private final AnswerReader reader = new AnswerReader(ring);

    /// As [RingResponder] executes a READ, and refuses the request after it.
    @Actor
    public void responder() {
        data.set(ValueLayout.JAVA_INT, 0, 43);
        ring.setReadTail(Integer.BYTES);
        writer.publish(1, 0, 1, false);
        writer.refuse(9);
    }

    /// As [RingRequester] takes the answers.
    @Actor
    public void requester(JJJJ_Result result) {
        reader.read();
        result.r1 = reader.refusal();
        result.r2 = reader.executed();
        result.r3 = reader.readTail();
        result.r4 = result.r3 == 0 ? 0 : data.get(ValueLayout.JAVA_INT, 0);
    }
}
