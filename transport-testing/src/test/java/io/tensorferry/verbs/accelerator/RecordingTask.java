package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.TransportException;
import org.jspecify.annotations.Nullable;

/// A task that records its result and the order of its end.
final class RecordingTask extends CopyTask {
    private int ends;
    private boolean done;
    private boolean stranded;
    private @Nullable TransportException failure;

    @Override
    protected synchronized void onDone() {
        ends++;
        done = true;
        notifyAll();
    }

    @Override
    protected synchronized void onFailed(TransportException cause, boolean mayStillCopy) {
        ends++;
        failure = cause;
        stranded = mayStillCopy;
        notifyAll();
    }

    synchronized int ends() {
        return ends;
    }

    synchronized boolean isDone() {
        return done;
    }

    synchronized boolean isStranded() {
        return stranded;
    }

    synchronized @Nullable TransportException failure() {
        return failure;
    }

    /// Waits for its end; the test's timeout bounds the wait.
    synchronized void awaitEnd() throws InterruptedException {
        while (ends == 0) {
            wait();
        }
    }
}
