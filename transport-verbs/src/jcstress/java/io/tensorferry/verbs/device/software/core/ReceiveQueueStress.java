package io.tensorferry.verbs.device.software.core;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/// A thread that finds a posted receive finds all of its fields.
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Not posted yet.")
@Outcome(id = "42, 4096", expect = Expect.ACCEPTABLE, desc = "All of it.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A part of it.")
@State
public class ReceiveQueueStress {
    private final ReceiveQueue queue = new ReceiveQueue(1);

    @Actor
    public void poster() {
        queue.add(42, 4096, 8, 1);
    }

    @Actor
    public void loop(JJ_Result result) {
        if (!queue.isEmpty()) {
            result.r1 = queue.workId();
            result.r2 = queue.address();
        }
    }
}
