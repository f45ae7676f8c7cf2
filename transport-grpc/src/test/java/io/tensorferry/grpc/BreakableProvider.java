package io.tensorferry.grpc;

import io.tensorferry.verbs.device.VerbsException;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The software device, which stops doing any work when it is told to, and begins again: its queue pairs refuse what
/// is posted, and no new ones can be made. What it has received it still tells.
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
