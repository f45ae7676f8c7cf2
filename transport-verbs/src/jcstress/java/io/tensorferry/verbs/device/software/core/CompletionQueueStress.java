package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/// A thread that polls a completion finds its content in off-heap memory.
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Not complete yet.")
@Outcome(id = "42, 43", expect = Expect.ACCEPTABLE, desc = "The completion and the content.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A part of the completion, or the content of before.")
@State
public class CompletionQueueStress {
    // All states share this queue pair, which is told which slots are free.
    private static final SoftwareQueuePair OWNER = queuePair();

    private final Cell content = new Cell();
    private final SoftwareCompletionQueue queue = new SoftwareCompletionQueue(OWNER.device(), 4, null);

    private static SoftwareQueuePair queuePair() {
        var device = new SoftwareProvider(SoftwareOptions.defaults().withCarrier(SoftCarrier.TCP))
                .open(SoftwareProvider.DEVICE);
        var completions = device.createCompletionQueue(4, null);
        QueuePair queuePair =
                device.allocateProtectionDomain().createQueuePair(new QueuePairOptions(completions, completions, 1, 1));
        return (SoftwareQueuePair) queuePair;
    }

    @Actor
    public void loop() {
        content.put(43);
        queue.addReceive(OWNER, 0, 42, WorkStatus.SUCCESS, null);
    }

    @Actor
    public void poller(JJ_Result result) {
        queue.poll(1, completion -> {
            result.r1 = completion.workId();
            result.r2 = content.get();
        });
    }
}
