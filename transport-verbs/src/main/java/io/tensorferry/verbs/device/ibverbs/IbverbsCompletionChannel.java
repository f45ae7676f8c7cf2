package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.DescriptorWait;
import io.tensorferry.bindings.ErrnoVerbs;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_comp_channel;
import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.support.OpenChildren;
import java.lang.foreign.MemorySegment;

/// An `ibv_comp_channel`, and an eventfd that wakes the waiting thread.
///
/// Threading: one thread waits; any thread wakes it.
final class IbverbsCompletionChannel implements CompletionChannel {
    private final IbverbsDevice device;
    private final MemorySegment channel;
    private final DescriptorWait wait;
    private final OpenChildren queues = new OpenChildren("completion channel");

    IbverbsCompletionChannel(IbverbsDevice device) {
        this.device = device;
        try (var call = new NativeCall()) {
            channel = VerbsCheck.pointerOrErrno(
                    "ibv_create_comp_channel",
                    ErrnoVerbs.createCompChannel(call, device.context()),
                    call,
                    () -> "no completion channel on " + device.name());
        }
        try {
            wait = new DescriptorWait(ibv_comp_channel.fd(channel));
        } catch (RuntimeException e) {
            int _ = Ibverbs.ibv_destroy_comp_channel(channel);
            throw e;
        }
    }

    @Override
    public void await(long timeoutNs) {
        if (wait.await(timeoutNs)) {
            takeEvents();
        }
    }

    /// Acknowledges each event at once, because destroying a completion queue waits for the acknowledgement.
    private void takeEvents() {
        try (var call = new NativeCall()) {
            MemorySegment queue = call.allocate(Ibverbs.C_POINTER);
            MemorySegment queueContext = call.allocate(Ibverbs.C_POINTER);
            while (ErrnoVerbs.getCqEvent(call, channel, queue, queueContext) == 0) {
                Ibverbs.ibv_ack_cq_events(queue.get(Ibverbs.C_POINTER, 0), 1);
            }
            if (call.errno() != VerbsException.EAGAIN) {
                throw new VerbsException(
                        "ibv_get_cq_event", call.errno(), "reading the completion events of " + device.name());
            }
        }
    }

    @Override
    public void wakeUp() {
        wait.wakeUp();
    }

    MemorySegment pointer() {
        return channel;
    }

    OpenChildren queues() {
        return queues;
    }

    boolean belongsTo(IbverbsDevice other) {
        return device == other;
    }

    @Override
    public void close() {
        String verb = "ibv_destroy_comp_channel";
        if (queues.close(verb)) {
            wait.close();
            device.children().remove();
            VerbsCheck.returnedErrno(
                    verb, Ibverbs.ibv_destroy_comp_channel(channel), () -> "a completion channel of " + device.name());
        }
    }
}
