package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Serves each caller whose channel opens, on a separate thread.
///
/// Threading: the thread that runs it.
final class CheckServer {
    // The maximum delay before a new caller is noticed. It does not affect the measurements.
    private static final int LOOK_MILLIS = 20;

    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final TransportServer server;
    private final @Nullable Accelerator gpu;
    private final PrintWriter out;
    // The open channels that have or had a session.
    private final Set<Long> known = new HashSet<>();
    private final List<Thread> sessions = new ArrayList<>();
    private final BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();

    private record Ended(ChannelDescription channel, ServeSession.Outcome outcome) {}

    /// @param gpu the GPU of the server that holds this end's tensors; null for host memory
    CheckServer(TransportServer server, @Nullable Accelerator gpu, PrintWriter out) {
        this.server = server;
        this.gpu = gpu;
        this.out = out;
    }

    /// Serves until the calling thread is interrupted or, with `once`, until one check has ended. Aborts unfinished
    /// checks.
    ///
    /// @return whether the check succeeded
    boolean run(boolean once) throws InterruptedException {
        try {
            return serve(once);
        } finally {
            endSessions();
        }
    }

    private boolean serve(boolean once) throws InterruptedException {
        while (true) {
            List<ChannelDescription> open = server.channels();
            known.retainAll(open.stream().map(ChannelDescription::connectionId).toList());
            sessions.removeIf(session -> !session.isAlive());
            for (ChannelDescription channel : open) {
                if (known.add(channel.connectionId())) {
                    sessions.add(Thread.ofVirtual().start(() -> serve(channel)));
                }
            }
            Ended one = ended.poll(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            if (one != null) {
                report(one);
                if (once) {
                    return one.outcome().failure() == null;
                }
            }
        }
    }

    /// Ends the sessions so that they leave nothing on the GPU, which is closed after the server.
    private void endSessions() throws InterruptedException {
        sessions.forEach(Thread::interrupt);
        long end = System.nanoTime() + END_LIMIT.toNanos();
        for (Thread session : sessions) {
            boolean _ = session.join(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }

    private void serve(ChannelDescription channel) {
        ServeSession.Outcome outcome;
        try {
            outcome = new ServeSession(server, gpu, channel).run();
        } catch (InterruptedException | RuntimeException e) {
            outcome = new ServeSession.Outcome(0, e.toString());
        }
        ended.add(new Ended(channel, outcome));
    }

    private void report(Ended one) {
        out.println("check of " + one.channel().peerQueuePairs().getFirst().gid() + ": " + one.outcome());
        out.flush();
    }
}
