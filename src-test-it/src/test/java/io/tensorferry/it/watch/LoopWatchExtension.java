package io.tensorferry.it.watch;

import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/// Fails each test while which a loop of this process did what a loop must not do; see [LoopWatch]. JUnit finds it as a
/// service, so it watches every test of this module that runs a loop in its own process, the whole contract of the
/// rendezvous among them.
public final class LoopWatchExtension implements AfterEachCallback {
    private static final LoopWatch WATCH =
            new LoopWatch(thread -> thread.getName().startsWith("tensorferry-loop-"));

    static {
        WATCH.start();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        List<String> violations = WATCH.take();
        // That test has its own watch, and provokes what it is to see.
        if (!violations.isEmpty() && !context.getRequiredTestClass().equals(LoopWatchTest.class)) {
            throw new AssertionError(String.join("\n", violations));
        }
    }
}
