package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;

/// Fails a test whose loops make a device call that may wait, or run user code.
///
/// A driver may wait for the kernel, the firmware or the network in each call except those of the data path.
///
/// Threading: any thread.
final class LoopWatch implements BiConsumer<String, Object[]> {
    /// The data path, and calls that only read memory of this process.
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

    /// User code runs now.
    ///
    /// @param what the name of the code, such as "a callback"
    void userCode(String what) {
        if (isOnLoop()) {
            violations.add(new AssertionError("the loop ran " + what));
        }
    }

    void assertKept() {
        assertThat(violations).isEmpty();
    }
}
