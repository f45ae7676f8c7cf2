package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The caller's side of one check, over a started server: set-up, notes, tensors in both directions.
///
/// Threading: one thread.
final class CheckRun {
    /// Seeds of the pattern in each direction.
    static final int TO_CALLER = 1;

    static final int TO_SERVER = 2;

    // Makes this wait outlast the dialling, so that the reason for a failed dial is known.
    private static final Duration GRACE = Duration.ofSeconds(1);

    private final TransportServer server;
    private final @Nullable Accelerator gpu;
    private final Plan plan;
    private final Duration timeout;
    private final CheckOutput output;

    /// @param gpu the GPU of the server that holds this end's tensors; null for host memory
    /// @param timeout the maximum wait for each item from the other end
    CheckRun(TransportServer server, @Nullable Accelerator gpu, Plan plan, Duration timeout, CheckOutput output) {
        this.server = server;
        this.gpu = gpu;
        this.plan = plan;
        this.timeout = timeout;
        this.output = output;
    }

    /// @throws TransportException the failure of the step that failed
    void run() throws InterruptedException {
        List<Plan.Item> items = plan.check();
        ChannelDescription channel = setUp();
        var residence = new Residence(server, gpu);
        try (var conversation = new Conversation(server, channel, residence, timeout)) {
            conversation.say(plan);
            Answer answer = conversation.hear(Answer.class);
            output.answer(answer, conversation.way(), residence.gpu());
            if (answer.refusal() != null) {
                throw new TransportException(
                        StatusCode.FAILED_PRECONDITION, "the other end refuses: " + answer.refusal());
            }
            output.received(receive(conversation, items));
            for (Plan.Item item : items) {
                conversation.offer(item, TO_SERVER);
            }
            conversation.say(new Go(""));
            Report report = conversation.hear(Report.class);
            output.sent(report.timings());
            if (report.failure() != null) {
                throw new TransportException(StatusCode.DATA_LOSS, "the other end: " + report.failure());
            }
            output.gpus(residence.paths(items), report.gpu());
        }
    }

    private ChannelDescription setUp() throws InterruptedException {
        long start = System.nanoTime();
        try {
            server.awaitPeers(timeout.plus(GRACE));
        } catch (TransportException e) {
            throw e.code() == StatusCode.PERMISSION_DENIED || e.code() == StatusCode.UNIMPLEMENTED
                    ? e.within(
                            "the server there is not 'tensorferry serve'; a worker of a cluster accepts only members,"
                                    + " so start 'tensorferry serve' on another port of its machine",
                            null)
                    : e;
        }
        long took = System.nanoTime() - start;
        ChannelDescription channel = server.channels().stream()
                .findFirst()
                .orElseThrow(() -> new TransportException(
                        StatusCode.UNAVAILABLE, "the channel was lost as soon as it had been set up"));
        output.channel(channel, took);
        return channel;
    }

    private static List<Timing> receive(Conversation conversation, List<Plan.Item> items) throws InterruptedException {
        var timings = new ArrayList<Timing>();
        try {
            for (Plan.Item item : items) {
                timings.add(conversation.fetch(item, TO_CALLER));
            }
        } catch (TransportException e) {
            conversation.say(new Go(e.reasonWithDetails()));
            throw e;
        }
        return timings;
    }
}
