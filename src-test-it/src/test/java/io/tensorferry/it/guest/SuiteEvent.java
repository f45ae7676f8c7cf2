package io.tensorferry.it.guest;

import com.google.gson.Gson;
import com.google.gson.JsonSyntaxException;
import org.jspecify.annotations.Nullable;

/// What [GuestSuite] says of one test, or of what holds tests. One line of JSON.
///
/// @param id the JUnit platform's
/// @param parent the id of what holds it; null at the top
/// @param source the method or class, as a URI that JUnit knows; null if there is none
/// @param reason why it was skipped or did not pass; null otherwise
/// @param trace the stack, of a failure
record SuiteEvent(
        Kind kind,
        String id,
        @Nullable String parent,
        String name,
        boolean test,
        @Nullable String source,
        @Nullable String reason,
        @Nullable String trace) {
    private static final Gson GSON = new Gson();

    enum Kind {
        STARTED,
        PASSED,
        FAILED,
        /// An assumption of the test did not hold.
        ABORTED,
        /// It was not started at all.
        SKIPPED,
        /// Everything has been said.
        END
    }

    static SuiteEvent end() {
        return new SuiteEvent(Kind.END, "", null, "", false, null, null, null);
    }

    String toLine() {
        return GSON.toJson(this);
    }

    /// Null if the line is none of these: something else has written it.
    static @Nullable SuiteEvent ofLine(String line) {
        if (!line.startsWith("{\"kind\":")) {
            return null;
        }
        try {
            return GSON.fromJson(line, SuiteEvent.class);
        } catch (JsonSyntaxException _) {
            return null;
        }
    }
}
