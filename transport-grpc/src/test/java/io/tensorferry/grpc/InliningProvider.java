package io.tensorferry.grpc;

import io.tensorferry.verbs.device.SendWorkRequest;
import java.lang.reflect.Method;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/// The software device, which claims to send small messages inline, as cards do, and records the addresses that the
/// processor would copy from.
///
/// Threading: any thread.
final class InliningProvider extends WatchedProvider {
    static final int INLINE_BYTES = 220;

    /// The addresses of the inline messages.
    final Queue<Long> inlined = new ConcurrentLinkedQueue<>();

    @Override
    @Nullable
    Object before(Method method, Object @Nullable [] arguments) {
        if (method.getName().equals("maxInlineBytes")) {
            return INLINE_BYTES;
        }
        if (arguments != null && arguments.length == 1 && arguments[0] instanceof SendWorkRequest request) {
            note(request);
        }
        return null;
    }

    /// The software device reads the message later, as any other.
    private void note(SendWorkRequest request) {
        if (request.inline) {
            inlined.add(request.localAddress);
            request.inline = false;
        }
    }
}
