package io.tensorferry.it.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// A group of children. If one fails, the wait for the others ends; closing the group kills all that still run. For one
/// thread.
public final class ChildJvms implements AutoCloseable {
    private static final Duration TURN = Duration.ofMillis(20);

    private final List<ChildJvm> children = new ArrayList<>();

    public ChildJvm start(ChildJvm.Builder builder) {
        ChildJvm child = builder.start();
        children.add(child);
        return child;
    }

    /// Waits until these children have ended with status 0.
    ///
    /// @throws ChildFailedException if any child of this group ends with another status, or these do not end within
    ///     `limit`
    public void awaitSuccess(List<ChildJvm> awaited, Duration limit) throws InterruptedException {
        long deadlineNs = System.nanoTime() + limit.toNanos();
        while (awaited.stream().anyMatch(ChildJvm::isAlive) && System.nanoTime() < deadlineNs) {
            for (ChildJvm child : children) {
                if (!child.isAlive()) {
                    child.awaitSuccess(Duration.ZERO);
                }
            }
            Thread.sleep(TURN);
        }
        for (ChildJvm child : awaited) {
            child.awaitSuccess(Duration.ZERO);
        }
    }

    @Override
    public void close() {
        children.forEach(ChildJvm::close);
    }
}
