package io.tensorferry.verbs.loopback;

import io.tensorferry.verbs.device.ChosenPort;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkCompletionHandler;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;

/// A device that works, until it is told to refuse certain calls or to bring completions that nobody asked for.
///
/// Threading: any thread.
final class FaultyDevice {
    private static final int EIO = 5;
    private static final Set<Class<?>> WRAPPED = Set.of(ProtectionDomain.class, CompletionQueue.class, QueuePair.class);

    private final Set<String> refused = ConcurrentHashMap.newKeySet();
    private volatile BiConsumer<String, Object[]> observer = (method, arguments) -> {};
    private final AtomicInteger strayCompletions = new AtomicInteger();
    // What stands behind each object that was given out.
    private final Map<Object, Object> behind = Collections.synchronizedMap(new IdentityHashMap<>());

    /// From now on every call of this name fails with EIO, on every object of the device.
    void refuse(String method) {
        refused.add(method);
    }

    /// From now on this is told of each call and its arguments, before it is made.
    void observe(BiConsumer<String, Object[]> newObserver) {
        observer = newObserver;
    }

    void recover() {
        refused.clear();
    }

    /// The next poll brings a completion with a work id that nobody gave out.
    void strayCompletion() {
        strayCompletions.incrementAndGet();
    }

    int pendingStrayCompletions() {
        return strayCompletions.get();
    }

    ChosenPort wrap(ChosenPort port) {
        return new ChosenPort(
                (VerbsDevice) wrap(VerbsDevice.class, port.device()),
                port.portNumber(),
                port.attributes(),
                port.gid(),
                port.mtu());
    }

    private Object wrap(Class<?> type, Object real) {
        Object proxy = Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> call(self, real, method, arguments));
        behind.put(proxy, real);
        return proxy;
    }

    @SuppressWarnings("ReferenceEquality") // a proxy has no other
    private Object call(Object self, Object real, Method method, Object[] arguments) throws Throwable {
        switch (method.getName()) {
            case "hashCode" -> {
                return System.identityHashCode(self);
            }
            case "equals" -> {
                return self == arguments[0];
            }
            default -> {}
        }
        observer.accept(method.getName(), arguments);
        if (refused.contains(method.getName())) {
            throw new VerbsException(method.getName(), EIO, "refused by the test");
        }
        if (method.getName().equals("poll") && strayCompletions.get() > 0) {
            strayCompletions.decrementAndGet();
            ((WorkCompletionHandler) arguments[1]).onCompletion(new StrayCompletion());
            return 1;
        }
        try {
            Object result = method.invoke(real, unwrap(arguments));
            return WRAPPED.contains(method.getReturnType()) ? wrap(method.getReturnType(), result) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private Object[] unwrap(Object[] arguments) {
        if (arguments == null) {
            return new Object[0];
        }
        Object[] real = arguments.clone();
        for (int i = 0; i < real.length; i++) {
            if (real[i] instanceof QueuePairOptions options) {
                real[i] = new QueuePairOptions(
                        (CompletionQueue) behind.get(options.sendCompletions()),
                        (CompletionQueue) behind.get(options.receiveCompletions()),
                        options.sendDepth(),
                        options.receiveDepth(),
                        options.inlineBytes());
            }
        }
        return real;
    }

    private static final class StrayCompletion implements WorkCompletion {
        @Override
        public long workId() {
            return 0x4242;
        }

        @Override
        public WorkStatus status() {
            return WorkStatus.SUCCESS;
        }

        @Override
        public Opcode opcode() {
            return Opcode.RDMA_WRITE;
        }

        @Override
        public long byteLength() {
            return 0;
        }

        @Override
        public boolean hasImmediate() {
            return false;
        }

        @Override
        public int immediate() {
            return 0;
        }

        @Override
        public int queuePairNumber() {
            return 0;
        }
    }
}
