package io.tensorferry.it.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// The output of a child: its last lines for failure messages, and each line once for waiting threads.
///
/// Threading: any thread; a dedicated thread reads.
final class ChildOutput {
    private static final int KEPT_LINES = 200;
    private static final int KEPT_LENGTH = 300;

    private final Deque<String> lastLines = new ArrayDeque<>();
    private final List<String> unclaimed = new ArrayList<>();
    private boolean ended;

    /// Starts to read `stream` on a thread that ends with the stream.
    void readFrom(InputStream stream, String name) {
        Thread.ofPlatform().daemon().name("output of " + name).start(() -> read(stream));
    }

    private void read(InputStream stream) {
        try (var lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                add(line);
            }
        } catch (IOException _) {
            // The stream of a killed process may end with an exception.
        }
        end();
    }

    private synchronized void add(String line) {
        lastLines.addLast(line.length() > KEPT_LENGTH ? line.substring(0, KEPT_LENGTH) + "..." : line);
        if (lastLines.size() > KEPT_LINES) {
            lastLines.removeFirst();
        }
        unclaimed.add(line);
        notifyAll();
    }

    synchronized void end() {
        ended = true;
        notifyAll();
    }

    /// Waits for a line that starts with `prefix`; each line is returned at most once. Returns null if the output ends
    /// or `limit` passes first.
    synchronized @Nullable String await(String prefix, Duration limit) throws InterruptedException {
        long deadlineNs = System.nanoTime() + limit.toNanos();
        while (true) {
            String line = claim(prefix);
            long leftNs = deadlineNs - System.nanoTime();
            if (line != null || ended || leftNs <= 0) {
                return line;
            }
            // Never 0, which would wait without limit.
            TimeUnit.NANOSECONDS.timedWait(this, Math.max(leftNs, 1_000_000));
        }
    }

    private @Nullable String claim(String prefix) {
        for (Iterator<String> lines = unclaimed.iterator(); lines.hasNext(); ) {
            String line = lines.next();
            if (line.startsWith(prefix)) {
                lines.remove();
                return line;
            }
        }
        return null;
    }

    synchronized List<String> lastLines() {
        return List.copyOf(lastLines);
    }
}
