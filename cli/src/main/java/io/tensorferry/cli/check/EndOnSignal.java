package io.tensorferry.cli.check;

import java.time.Duration;

/// Cleans up on a signal: while this is open, a signal that ends the process interrupts the thread that opened it, and
/// the process waits for that thread to clean up.
final class EndOnSignal implements AutoCloseable {
    private final Thread hook;

    /// @param limit the maximum time that the process waits
    EndOnSignal(Duration limit) {
        Thread owner = Thread.currentThread();
        hook = Thread.ofPlatform().name("end-on-signal").unstarted(() -> {
            owner.interrupt();
            try {
                boolean _ = owner.join(limit);
            } catch (InterruptedException _) {
                // The process ends in any case.
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // The process is ending: the hook has interrupted this thread.
        }
    }
}
