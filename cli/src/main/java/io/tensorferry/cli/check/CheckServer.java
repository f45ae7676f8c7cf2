package io.tensorferry.cli.check;

import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.channel.ChannelDescription;
import java.io.PrintWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// Answers every caller whose channel opens, each on a thread of its own.
///
/// Threading: the thread that runs it.
final class CheckServer {
    // A caller that has just connected waits this long at most; nothing of what is measured does.
    private static final int LOOK_MILLIS = 20;

    private final TransportServer server;
    private final PrintWriter out;
    // Of the open channels those that have their session, or had it.
    private final Set<Long> known = new HashSet<>();
    private final BlockingQueue<Ended> ended = new LinkedBlockingQueue<>();

    private record Ended(ChannelDescription channel, ServeSession.Outcome outcome) {}

    CheckServer(TransportServer server, PrintWriter out) {
        this.server = server;
        this.out = out;
    }

    /// Serves until the calling thread is interrupted, or one check has ended.
    ///
    /// @return whether the check was good
    boolean run(boolean once) throws InterruptedException {
        while (true) {
            List<ChannelDescription> open = server.channels();
            known.retainAll(open.stream().map(ChannelDescription::connectionId).toList());
            for (ChannelDescription channel : open) {
                if (known.add(channel.connectionId())) {
                    var _ = Thread.ofVirtual().start(() -> serve(channel));
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

    private void serve(ChannelDescription channel) {
        ServeSession.Outcome outcome;
        try {
            outcome = new ServeSession(server, channel).run();
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
