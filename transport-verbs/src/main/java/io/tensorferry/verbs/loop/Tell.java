package io.tensorferry.verbs.loop;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Tells parts of the transport that something has ended, each of them whatever the others throw: one that is not told
/// waits for ever.
///
/// Threading: any thread.
public final class Tell {
    private static final Logger LOG = LoggerFactory.getLogger(Tell.class);

    private Tell() {}

    /// Runs `step`, and logs what it throws.
    ///
    /// @param what it does, for the log, as "give the contents back"
    public static void one(String what, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            LOG.error("could not {}", what, e);
        }
    }

    /// The same for each of those that are in `parts` now.
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
