package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

/// Fails a test whose loops do what a loop must not: call the device where the call may wait, or run code of a user's.
///
/// A driver may wait for the kernel, for the firmware or for the network in each call but those of the data path.
///
/// Threading: any thread.
final class LoopWatch implements BiConsumer<String, Object[]> {
    /// The data path, and what is read from memory of this process.
    private static final Set<String> ALLOWED = Set.of(
            "address",
            "attributes",
            "await",
            "byteSize",
            "capacity",
            "contains",
            "description",
            "isBound",
            "localKey",
            "maxInlineBytes",
            "name",
            "number",
            "poll",
            "postReceive",
            "postSend",
            "prepareSend",
            "remoteKey",
            "requestNotification",
            "state",
            "submitSends",
            "toString",
            "wakeUp",
            "way");

    private final Queue<Throwable> violations = new ConcurrentLinkedQueue<>();

    static boolean isOnLoop() {
        return Thread.currentThread().getName().startsWith("tensorferry-loop");
    }

    /// A call of the device.
    @Override
    public void accept(String method, Object[] arguments) {
        if (isOnLoop() && !ALLOWED.contains(method)) {
            violations.add(new AssertionError("the loop called " + method + " of the device"));
        }
    }

    /// Code of the user's runs now.
    ///
    /// @param what it is, as "a callback"
    void userCode(String what) {
        if (isOnLoop()) {
            violations.add(new AssertionError("the loop ran " + what));
        }
    }

    void assertKept() {
        assertThat(violations).isEmpty();
    }
}
