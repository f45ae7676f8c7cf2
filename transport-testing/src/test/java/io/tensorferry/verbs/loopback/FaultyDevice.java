package io.tensorferry.verbs.loopback;

import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkCompletionHandler;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.wire.WorkId;
import io.tensorferry.verbs.wire.WorkKind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A working device that a test can make refuse certain calls, fail work requests, report events or return
/// unexpected completions.
///
/// Threading: any thread.
final class FaultyDevice {
    private static final int EIO = 5;
    private static final Set<Class<?>> WRAPPED = Set.of(
            ProtectionDomain.class,
            CompletionChannel.class,
            CompletionQueue.class,
            QueuePair.class,
            MemoryRegion.class,
            MemoryWindow.class);

    private volatile BiConsumer<String, Object[]> observer = (method, arguments) -> {};
    private final Map<String, VerbsException> refused = new ConcurrentHashMap<>();
    private final Map<String, UnaryOperator<Object>> altered = new ConcurrentHashMap<>();
    private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();
    private volatile long mostBoundBytes = Long.MAX_VALUE;
    private final AtomicInteger refusedBinds = new AtomicInteger();
    private volatile @Nullable Consumer<AsyncEvent> listener;
    private final AtomicInteger strayCompletions = new AtomicInteger();
    // The real object behind each object that was handed out.
    private final Map<Object, Object> behind = Collections.synchronizedMap(new IdentityHashMap<>());

    /// From now on every call of this name fails with EIO, on every object of the device.
    void refuse(String method) {
        refuse(method, new VerbsException(method, EIO, "refused by the test"));
    }

    /// From now on every call of this name fails with `refusal`.
    void refuse(String method, VerbsException refusal) {
        refused.put(method, refusal);
    }

    /// From now on calls of this name return the device's answer, changed by `change`.
    <T> void alter(String method, Class<T> type, UnaryOperator<T> change) {
        altered.put(method, answer -> change.apply(type.cast(answer)));
    }

    /// From now on a bind of a memory window of more than `bytes` is refused when it is posted, with EOPNOTSUPP,
    /// as mlx5 refuses one of more than 2 GiB. The queue pair goes on.
    void refuseBindsOver(long bytes) {
        mostBoundBytes = bytes;
    }

    /// The number of binds refused since then.
    int refusedBinds() {
        return refusedBinds.get();
    }

    private void refuseLargeBind(Object[] arguments) {
        if (arguments[0] instanceof SendWorkRequest request
                && request.opcode == SendWorkRequest.Opcode.BIND_MW
                && request.length > mostBoundBytes) {
            refusedBinds.incrementAndGet();
            throw new VerbsException(
                    "ibv_post_send", VerbsException.EOPNOTSUPP, "a window of " + request.length + " bytes");
        }
    }

    /// The next polled completion, of any kind, reports that its request failed.
    void failNextCompletion(WorkStatus status, int vendorError) {
        faults.add(new Fault(null, status, vendorError));
    }

    /// The next polled completion of this kind of work reports that its request failed.
    void failNextCompletion(WorkKind kind, WorkStatus status, int vendorError) {
        faults.add(new Fault(kind, status, vendorError));
    }

    /// @param kind of the work that fails; null for any
    private record Fault(@Nullable WorkKind kind, WorkStatus status, int vendorError) {
        boolean concerns(WorkCompletion completion) {
            return kind == null || kind == WorkId.kind(completion.workId());
        }
    }

    /// The device reports an event; nothing else happens.
    void raise(AsyncEvent event) {
        Objects.requireNonNull(listener, "nobody listens").accept(event);
    }

    /// From now on this receives each call and its arguments, before the call is made.
    void observe(BiConsumer<String, Object[]> newObserver) {
        observer = newObserver;
    }

    /// Calls of this name are no longer refused.
    void accept(String method) {
        refused.remove(method);
    }

    /// No longer refuses or alters anything.
    void recover() {
        refused.clear();
        altered.clear();
    }

    /// The next poll returns a completion with a work id that was never used.
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
        VerbsException refusal = refused.get(method.getName());
        if (refusal != null) {
            throw refusal;
        }
        if (method.getName().equals("postSend") || method.getName().equals("prepareSend")) {
            refuseLargeBind(arguments);
        }
        if (method.getName().equals("onAsyncEvent")) {
            listener = asListener(arguments[0]);
        }
        if (method.getName().equals("poll")) {
            arguments[1] = failing((WorkCompletionHandler) arguments[1]);
        }
        if (method.getName().equals("poll") && strayCompletions.get() > 0) {
            strayCompletions.decrementAndGet();
            ((WorkCompletionHandler) arguments[1]).onCompletion(new StrayCompletion());
            return 1;
        }
        try {
            Object result = method.invoke(real, unwrap(arguments));
            UnaryOperator<Object> alteration = altered.get(method.getName());
            if (alteration != null) {
                return alteration.apply(result);
            }
            return WRAPPED.contains(method.getReturnType()) ? wrap(method.getReturnType(), result) : result;
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @SuppressWarnings("unchecked") // the signature of VerbsDevice.onAsyncEvent
    private static Consumer<AsyncEvent> asListener(Object argument) {
        return (Consumer<AsyncEvent>) argument;
    }

    private WorkCompletionHandler failing(WorkCompletionHandler handler) {
        return new WorkCompletionHandler() {
            @Override
            public void onCompletion(WorkCompletion completion) {
                Fault fault = faults.peek();
                if (fault == null || !fault.concerns(completion)) {
                    handler.onCompletion(completion);
                } else {
                    faults.remove();
                    handler.onCompletion(failed(completion, fault));
                }
            }

            @Override
            public boolean wantsMore() {
                return handler.wantsMore();
            }
        };
    }

    private static WorkCompletion failed(WorkCompletion completion, Fault fault) {
        return (WorkCompletion) Proxy.newProxyInstance(
                WorkCompletion.class.getClassLoader(),
                new Class<?>[] {WorkCompletion.class},
                (_, method, arguments) -> switch (method.getName()) {
                    case "status" -> fault.status;
                    case "vendorError" -> fault.vendorError;
                    default -> method.invoke(completion, arguments);
                });
    }

    private Object[] unwrap(Object[] arguments) {
        if (arguments == null) {
            return new Object[0];
        }
        Object[] real = arguments.clone();
        for (int i = 0; i < real.length; i++) {
            if (real[i] instanceof CompletionChannel channel) {
                real[i] = behind.getOrDefault(channel, channel);
            } else if (real[i] instanceof SendWorkRequest request) {
                request.window = (MemoryWindow) behind.getOrDefault(request.window, request.window);
                request.region = (MemoryRegion) behind.getOrDefault(request.region, request.region);
            } else if (real[i] instanceof QueuePairOptions options) {
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
