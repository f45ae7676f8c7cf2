package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.SendWorkRequest;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/// A thread that finds a work request in the send queue finds all of its fields, and its off-heap memory as the
/// poster left it.
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Not posted yet.")
@Outcome(id = "42, 43", expect = Expect.ACCEPTABLE, desc = "The request and its content.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A part of the request, or its content of before.")
@State
public class SendQueueStress {
    private final Cell content = new Cell();
    private final SendQueue queue = new SendQueue(1);
    private final SendWorkRequest request = new SendWorkRequest();

    @Actor
    public void poster() {
        content.put(43);
        queue.add(request.write(42, 0x1000, 8, 1, 0x2000, 2));
    }

    @Actor
    public void loop(JJ_Result result) {
        if (queue.posted() == 1) {
            result.r1 = queue.slot(0).workId;
            result.r2 = content.get();
        }
    }
}
