package io.tensorferry.verbs.partition;

import io.tensorferry.api.GatherProgress;
import io.tensorferry.verbs.loop.UserCode;

/// Tells a user how far a gather is, one call after the other and the end last, on no thread of the transport's. A user
/// who is slow gets fewer calls.
///
/// Threading: any thread.
final class ProgressReports {
    private final GatherProgress progress;
    private final UserCode users;
    private final long asked;
    // All that follows is under the monitor.
    private long arrived;
    private long told;
    private boolean telling;
    private Runnable last = () -> {};
    private boolean ended;

    /// @param asked rows in all
    ProgressReports(GatherProgress progress, UserCode users, long asked) {
        this.progress = progress;
        this.users = users;
        this.asked = asked;
    }

    /// @param rows that have arrived so far
    synchronized void arrived(long rows) {
        arrived = rows;
        tell();
    }

    /// Nothing more arrives.
    ///
    /// @param action runs behind the last call
    synchronized void end(Runnable action) {
        last = action;
        ended = true;
        tell();
    }

    private void tell() {
        if (!telling) {
            telling = true;
            users.run("tell the progress of a gather", this::report);
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

    /// How much there is to tell, or 0 if all is told.
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
