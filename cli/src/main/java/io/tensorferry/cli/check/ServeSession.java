package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.TransportException;
import io.tensorferry.cli.console.Product;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The server's side of one check, from the caller's plan until its channel is gone.
///
/// Threading: one thread.
final class ServeSession {
    // A caller that disconnects ends the wait at once; this limits the wait for one that stays silent.
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    private static final int LOOK_MILLIS = 20;

    private final TransportServer server;
    private final Residence residence;
    private final ChannelDescription channel;

    /// @param gpu the GPU of the server that holds this end's tensors; null for host memory
    ServeSession(TransportServer server, @Nullable Accelerator gpu, ChannelDescription channel) {
        this.server = server;
        this.residence = new Residence(server, gpu);
        this.channel = channel;
    }

    /// The outcome of a check.
    ///
    /// @param failure null if both ends succeeded
    record Outcome(int sizes, @Nullable String failure) {
        /// For example `4 sizes, all right`.
        @Override
        public String toString() {
            return failure == null ? sizes + " sizes, all correct" : "failed: " + failure;
        }
    }

    /// Serves the caller until the check is over.
    Outcome run() throws InterruptedException {
        try (var conversation = new Conversation(server, channel, residence, PATIENCE)) {
            Outcome outcome = converse(conversation);
            awaitFarewell();
            return outcome;
        } catch (TransportException e) {
            return new Outcome(0, e.getMessage());
        }
    }

    private Outcome converse(Conversation conversation) throws InterruptedException {
        Plan plan = conversation.hear(Plan.class);
        List<Plan.Item> items;
        try {
            items = plan.check();
            for (Plan.Item item : items) {
                conversation.offer(item, CheckRun.TO_CALLER);
            }
        } catch (TransportException e) {
            conversation.say(answer(conversation, e.reasonWithDetails()));
            return new Outcome(0, e.getMessage());
        } catch (IllegalArgumentException e) {
            conversation.say(answer(conversation, String.valueOf(e.getMessage())));
            return new Outcome(0, e.getMessage());
        }
        conversation.say(answer(conversation, null));
        Go go = conversation.hear(Go.class);
        if (!go.failure().isEmpty()) {
            return new Outcome(items.size(), "the caller: " + go.failure());
        }
        return receive(conversation, items);
    }

    private Answer answer(Conversation conversation, @Nullable String refusal) {
        return new Answer(
                Product.version(), channel.device(), channel.port(), conversation.way(), residence.gpu(), refusal);
    }

    private Outcome receive(Conversation conversation, List<Plan.Item> items) throws InterruptedException {
        var timings = new ArrayList<Timing>();
        TransportException failure = null;
        try {
            for (Plan.Item item : items) {
                timings.add(conversation.fetch(item, CheckRun.TO_SERVER));
            }
        } catch (TransportException e) {
            failure = e;
        }
        conversation.say(
                failure == null
                        ? new Report(timings, residence.paths(items), null)
                        : new Report(timings, null, failure.reasonWithDetails()));
        return new Outcome(items.size(), failure == null ? null : failure.getMessage());
    }

    /// Waits until the caller has disconnected, so that it can still fetch what it has not requested yet.
    private void awaitFarewell() throws InterruptedException {
        long end = System.nanoTime() + FAREWELL.toNanos();
        while (isOpen() && System.nanoTime() - end < 0) {
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private boolean isOpen() {
        return server.channels().stream().anyMatch(open -> open.connectionId() == channel.connectionId());
    }
}
