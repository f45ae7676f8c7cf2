package io.tensorferry.grpc;

import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The software device; a subclass sees each call first: of the device, its protection domains and its queue
/// pairs.
///
/// Threading: any thread.
abstract class WatchedProvider implements VerbsProvider {
    private static final Set<Class<?>> WATCHED = Set.of(ProtectionDomain.class, QueuePair.class);

    private final SoftwareProvider real = new SoftwareProvider(SoftwareOptions.defaults());

    /// Called before each call of the device.
    ///
    /// @return the result that replaces the device's; null to call the device
    abstract @Nullable Object before(Method method, Object @Nullable [] arguments);

    @Override
    public final String name() {
        return real.name();
    }

    @Override
    public final List<String> deviceNames() {
        return real.deviceNames();
    }

    @Override
    public final VerbsDevice open(String deviceName) {
        return (VerbsDevice) watch(VerbsDevice.class, real.open(deviceName));
    }

    private Object watch(Class<?> type, Object behind) {
        InvocationHandler handler = (_, method, arguments) -> call(behind, method, arguments);
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
    }

    private @Nullable Object call(Object behind, Method method, Object @Nullable [] arguments) throws Throwable {
        Object instead = before(method, arguments);
        if (instead != null) {
            return instead;
        }
        try {
            Object result = method.invoke(behind, arguments);
            return WATCHED.contains(method.getReturnType()) ? watch(method.getReturnType(), result) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
