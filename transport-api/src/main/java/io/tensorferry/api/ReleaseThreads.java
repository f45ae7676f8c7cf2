package io.tensorferry.api;

import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where the release actions of tensors run that users have made: on the thread that closes the last handle, unless it
/// is one of a transport, which must neither wait nor end because of what a user's code does. What they throw is
/// logged.
///
/// For implementers of transports.
///
/// Threading: any thread.
public final class ReleaseThreads {
    private static final Logger LOG = LoggerFactory.getLogger(ReleaseThreads.class);
    private static final ScopedValue<Executor> ELSEWHERE = ScopedValue.newInstance();

    private ReleaseThreads() {}

    /// The release action of memory that belongs to a transport: it neither waits nor throws, and runs on the thread
    /// that closes the last handle, whichever that is.
    @FunctionalInterface
    public interface Prompt extends Runnable {}

    /// Runs `body`. Where it closes the last handle of a tensor, the user's action runs on a virtual thread.
    public static void keepUsersActionsOff(Runnable body) {
        keepUsersActionsOff(ReleaseThreads::startThread, body);
    }

    /// The same; release actions of users run on `elsewhere`, which never rejects.
    public static void keepUsersActionsOff(Executor elsewhere, Runnable body) {
        ScopedValue.where(ELSEWHERE, elsewhere).run(body);
    }

    private static void startThread(Runnable action) {
        Thread.ofVirtual().name("tensorferry-release").start(action);
    }

    /// Runs a release action where it belongs.
    static void run(Runnable action) {
        if (action instanceof Prompt) {
            action.run();
        } else if (ELSEWHERE.isBound()) {
            ELSEWHERE.get().execute(() -> runHere(action));
        } else {
            runHere(action);
        }
    }

    /// What the action throws is nothing that the closer can mend, and others may wait for what it does next.
    private static void runHere(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            LOG.error("the release action of a tensor threw", e);
        }
    }
}
