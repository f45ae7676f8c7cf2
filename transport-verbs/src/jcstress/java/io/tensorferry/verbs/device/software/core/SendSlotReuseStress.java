package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

/// A slot of the send queue is written again only after the loop is done with it.
@JCStressTest
@Outcome(id = "1, [01]", expect = Expect.ACCEPTABLE, desc = "The loop read its own request.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The slot was written while the loop read it.")
@State
public class SendSlotReuseStress {
    private final SendQueue queue = new SendQueue(1);
    private final SendWorkRequest request = new SendWorkRequest();

    public SendSlotReuseStress() {
        queue.add(request.write(1, 0x1000, 8, 1, 0x2000, 2));
    }

    @Actor
    public void poster(JI_Result result) {
        try {
            queue.add(request.write(2, 0x1000, 8, 1, 0x2000, 2));
            result.r2 = 1;
        } catch (VerbsException _) {
            // The queue is still full.
        }
    }

    @Actor
    public void loop(JI_Result result) {
        result.r1 = queue.slot(0).workId;
        queue.free(0);
    }
}
