package io.tensorferry.verbs.loop;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Notifies several parts of the transport of an end, each regardless of exceptions of the others: a part that is not
/// notified would wait for ever.
///
/// Threading: any thread.
public final class Tell {
    private static final Logger LOG = LoggerFactory.getLogger(Tell.class);

    private Tell() {}

    /// Runs `step` and logs any exception that it throws.
    ///
    /// @param what the step's action for the log, such as "give the contents back"
    public static void one(String what, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.error("could not {}", what, e);
        }
    }

    /// Like [#one], for each element that is in `parts` now.
    public static <T> void each(String what, Iterable<T> parts, Consumer<? super T> step) {
        for (T part : copyOf(parts)) {
            one(what, () -> step.accept(part));
        }
    }

    private static <T> List<T> copyOf(Iterable<T> parts) {
        var copy = new ArrayList<T>();
        parts.forEach(copy::add);
        return copy;
    }
}
