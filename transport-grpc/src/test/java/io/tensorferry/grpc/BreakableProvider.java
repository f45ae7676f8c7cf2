package io.tensorferry.grpc;

import io.tensorferry.verbs.device.VerbsException;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The software device, whose work a test stops and resumes. While it is stopped, its queue pairs refuse posted
/// requests, and no new queue pairs can be created. Completions of earlier requests are still reported.
///
/// Threading: any thread.
final class BreakableProvider extends WatchedProvider {
    private static final int EIO = 5;
    private static final Set<String> WORK = Set.of("postSend", "submitSends", "createQueuePair");

    private volatile boolean broken;

    void breakDown() {
        broken = true;
    }

    void recover() {
        broken = false;
    }

    @Override
    @Nullable
    Object before(Method method, Object @Nullable [] arguments) {
        if (broken && WORK.contains(method.getName())) {
            throw new VerbsException(method.getName(), EIO, "broken by the test");
        }
        return null;
    }
}
