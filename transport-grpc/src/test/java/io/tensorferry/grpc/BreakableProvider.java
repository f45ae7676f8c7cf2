package io.tensorferry.grpc;

import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;

/// The software device, which stops doing any work when it is told to, and begins again: its queue pairs refuse what
/// is posted, and no new ones can be made. What it has received it still tells.
///
/// Threading: any thread.
final class BreakableProvider implements VerbsProvider {
    private static final int EIO = 5;
    private static final Set<String> WORK = Set.of("postSend", "submitSends", "createQueuePair");
    private static final Set<Class<?>> WRAPPED = Set.of(ProtectionDomain.class, QueuePair.class);

    private final SoftwareProvider real = new SoftwareProvider(SoftwareOptions.defaults());
    private volatile boolean broken;

    void breakDown() {
        broken = true;
    }

    void recover() {
        broken = false;
    }

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
        if (broken && WORK.contains(method.getName())) {
            throw new VerbsException(method.getName(), EIO, "broken by the test");
        }
        try {
            Object result = method.invoke(behind, arguments);
            return WRAPPED.contains(method.getReturnType()) ? wrap(method.getReturnType(), result) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
