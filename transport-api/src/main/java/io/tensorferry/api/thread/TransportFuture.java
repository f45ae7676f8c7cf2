package io.tensorferry.api.thread;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A future that a transport completes. Waiting for it on a thread of a transport throws [IllegalStateException],
/// unless it is complete; dependent stages behave in the same way.
///
/// Threading: any thread.
///
/// @param <T> the type of the result
public final class TransportFuture<T> extends CompletableFuture<T> {
    /// Creates an incomplete future.
    public TransportFuture() {}

    @Override
    public T get() throws InterruptedException, ExecutionException {
        refuseToWait("get()");
        return super.get();
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        refuseToWait("get(timeout)");
        return super.get(timeout, unit);
    }

    @Override
    public T join() {
        refuseToWait("join()");
        return super.join();
    }

    private void refuseToWait(String call) {
        if (!isDone()) {
            TransportThread.refuseToWait(call + " on a transport future", "add a dependent stage to it");
        }
    }

    @Override
    public <U> CompletableFuture<U> newIncompleteFuture() {
        return new TransportFuture<>();
    }
}
