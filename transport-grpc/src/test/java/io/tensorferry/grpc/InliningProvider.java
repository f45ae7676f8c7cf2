package io.tensorferry.grpc;

import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/// The software device, which says that it takes small messages inline, as cards do, and remembers from where the
/// processor would have copied them.
///
/// Threading: any thread.
final class InliningProvider implements VerbsProvider {
    static final int INLINE_BYTES = 220;

    private static final Set<Class<?>> WRAPPED = Set.of(ProtectionDomain.class, QueuePair.class);

    private final SoftwareProvider real = new SoftwareProvider(SoftwareOptions.defaults());

    /// The addresses of what was to be sent inline.
    final Queue<Long> inlined = new ConcurrentLinkedQueue<>();

    @Override
    public String name() {
        return real.name();
    }

    @Override
    public List<String> deviceNames() {
        return real.deviceNames();
    }

    @Override
    public VerbsDevice open(String deviceName) {
        return (VerbsDevice) wrap(VerbsDevice.class, real.open(deviceName));
    }

    private Object wrap(Class<?> type, Object behind) {
        InvocationHandler handler = (_, method, arguments) -> call(behind, method, arguments);
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private Object call(Object behind, Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("maxInlineBytes")) {
            return INLINE_BYTES;
        }
        if (arguments != null && arguments.length == 1 && arguments[0] instanceof SendWorkRequest request) {
            note(request);
        }
        try {
            Object result = method.invoke(behind, arguments);
            return WRAPPED.contains(method.getReturnType()) ? wrap(method.getReturnType(), result) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /// The software device reads it later, as any other.
    private void note(SendWorkRequest request) {
        if (request.inline) {
            inlined.add(request.localAddress);
            request.inline = false;
        }
    }
}
