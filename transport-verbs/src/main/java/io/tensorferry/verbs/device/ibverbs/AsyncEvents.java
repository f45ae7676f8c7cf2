package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.DescriptorWait;
import io.tensorferry.bindings.ErrnoVerbs;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_async_event;
import io.tensorferry.bindings.ibverbs.ibv_context;
import io.tensorferry.bindings.ibverbs.ibv_qp;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads a device's asynchronous events on a dedicated thread, which starts with the first listener or completion
/// queue.
///
/// Events are acknowledged before listeners are called: destroying the object concerned waits for the acknowledgement,
/// and a listener may destroy it.
///
/// Threading: any thread.
final class AsyncEvents implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AsyncEvents.class);
    private static final long LONGEST_WAIT_NS = 3_600_000_000_000L;

    private final String deviceName;
    private final MemorySegment context;
    private final Map<Long, IbverbsCompletionQueue> completionQueues = new ConcurrentHashMap<>();
    private volatile @Nullable Consumer<AsyncEvent> listener;
    private volatile boolean closing;
    private @Nullable DescriptorWait wait;
    private @Nullable Thread thread;

    AsyncEvents(String deviceName, MemorySegment context) {
        this.deviceName = deviceName;
        this.context = context;
    }

    void setListener(Consumer<AsyncEvent> listener) {
        this.listener = listener;
    }

    /// Starts the thread if it is not running.
    synchronized void start() {
        if (thread != null || closing) {
            return;
        }
        var descriptorWait = new DescriptorWait(ibv_context.async_fd(context));
        wait = descriptorWait;
        thread = Thread.ofPlatform()
                .name("tensorferry-events-" + deviceName)
                .daemon(true)
                .start(() -> run(descriptorWait));
    }

    /// Registers a completion queue, which is notified of its failure.
    void watch(long pointer, IbverbsCompletionQueue queue) {
        completionQueues.put(pointer, queue);
    }

    void unwatch(long pointer) {
        completionQueues.remove(pointer);
    }

    private void run(DescriptorWait descriptorWait) {
        while (!closing) {
            if (descriptorWait.await(LONGEST_WAIT_NS)) {
                try {
                    readAll();
                } catch (RuntimeException e) {
                    LOG.error("cannot read asynchronous events of {} any more: the device is gone", deviceName, e);
                    tell(new AsyncEvent(AsyncEvent.Type.DEVICE_FATAL, 0));
                    return;
                }
            }
        }
    }

    private void readAll() {
        try (var call = new NativeCall()) {
            MemorySegment event = ibv_async_event.allocate(call);
            while (!closing && ErrnoVerbs.getAsyncEvent(call, context, event) == 0) {
                take(event);
            }
            if (!closing && call.errno() != VerbsException.EAGAIN) {
                throw new VerbsException("ibv_get_async_event", call.errno(), "reading the events of " + deviceName);
            }
        }
    }

    private void take(MemorySegment event) {
        int number = ibv_async_event.event_type(event);
        AsyncEvent.Type type = AsyncEventTypes.of(number);
        MemorySegment element = ibv_async_event.element(event);
        int about = 0;
        IbverbsCompletionQueue failed = null;
        if (type != null) {
            switch (type) {
                case CQ_ERR ->
                    failed = completionQueues.get(
                            ibv_async_event.element.cq(element).address());
                case QP_FATAL, QP_REQ_ERR, QP_ACCESS_ERR, COMM_EST, SQ_DRAINED, PATH_MIG, PATH_MIG_ERR ->
                    about = ibv_qp.qp_num(ibv_async_event.element.qp(element));
                case PORT_ACTIVE, PORT_ERR, LID_CHANGE, PKEY_CHANGE, GID_CHANGE ->
                    about = ibv_async_event.element.port_num(element);
                case DEVICE_FATAL -> {
                    // The event concerns the whole device.
                }
            }
        }
        Ibverbs.ibv_ack_async_event(event);
        if (type == null) {
            LOG.debug("asynchronous event {} of {} is ignored", number, deviceName);
            return;
        }
        if (failed != null) {
            failed.fail();
        }
        tell(new AsyncEvent(type, about));
    }

    private void tell(AsyncEvent event) {
        Consumer<AsyncEvent> current = listener;
        if (current == null) {
            return;
        }
        try {
            current.accept(event);
        } catch (RuntimeException e) {
            LOG.error("the listener for asynchronous events of {} failed at {}", deviceName, event, e);
        }
    }

    /// Stops the thread and waits for it, unless called on it.
    @Override
    public void close() {
        Thread running;
        DescriptorWait descriptorWait;
        synchronized (this) {
            closing = true;
            running = thread;
            descriptorWait = wait;
        }
        if (running == null || descriptorWait == null) {
            return;
        }
        descriptorWait.wakeUp();
        if (!running.equals(Thread.currentThread())) {
            joinUninterruptibly(running);
            descriptorWait.close();
        }
    }

    private static void joinUninterruptibly(Thread thread) {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
