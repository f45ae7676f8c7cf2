package io.tensorferry.verbs.partition;

import io.tensorferry.api.partition.GatherProgress;
import io.tensorferry.verbs.loop.UserCode;

/// Reports the progress of a gather to the user: one call at a time, the end last, never on a transport thread. A slow
/// user gets fewer calls.
///
/// Threading: any thread.
final class ProgressReports {
    private final GatherProgress progress;
    private final UserCode users;
    private final long asked;
    // Guarded by the monitor, as all fields below.
    private long arrived;
    private long told;
    private boolean telling;
    private Runnable last = () -> {};
    private boolean ended;

    /// @param asked the total number of rows
    ProgressReports(GatherProgress progress, UserCode users, long asked) {
        this.progress = progress;
        this.users = users;
        this.asked = asked;
    }

    /// @param rows the number of rows that have arrived so far
    synchronized void arrived(long rows) {
        arrived = rows;
        tell();
    }

    /// Ends the reports; no more rows arrive.
    ///
    /// @param action runs after the last call
    synchronized void end(Runnable action) {
        last = action;
        ended = true;
        tell();
    }

    private void tell() {
        if (!telling) {
            telling = true;
            users.run("report the progress of a gather", this::report);
        }
    }

    private void report() {
        try {
            long rows = next();
            while (rows > 0) {
                progress.onRows(rows, asked);
                rows = next();
            }
        } finally {
            finish();
        }
    }

    /// Returns the number of rows to report, or 0 if all are reported.
    private synchronized long next() {
        if (arrived == told) {
            return 0;
        }
        told = arrived;
        return arrived;
    }

    private void finish() {
        Runnable action = () -> {};
        synchronized (this) {
            telling = false;
            if (arrived != told) {
                tell();
            } else if (ended) {
                action = last;
                last = () -> {};
            }
        }
        action.run();
    }
}
