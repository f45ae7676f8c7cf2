package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.TransportException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A task of a copy queue: a copy between an accelerator and the host, or a wait for an event or for a NIC's writes.
/// Reusable once it has ended.
///
/// Ownership: the queue owns the task from submission until [#onDone()] or [#onFailed] runs, once, on the queue's
/// callback executor. Until then the submitter keeps both ends of the copy, and the event.
public abstract class CopyTask implements Runnable {
    enum Kind {
        TO_HOST,
        FROM_HOST,
        EVENT,
        NIC_WRITES
    }

    private Kind kind = Kind.EVENT;
    private long address;
    private @Nullable MemorySegment host;
    private @Nullable DeviceEvent event;
    private @Nullable TransportException failure;
    private boolean stranded;
    private volatile boolean calledOff;

    /// Creates a task without an operation; submission sets it.
    protected CopyTask() {}

    /// Called when the copy has completed, the event is reached, or the writes are visible.
    protected abstract void onDone();

    /// Whether [#onQueued] is called.
    protected boolean wantsToKnowWhenQueued() {
        return false;
    }

    /// Called when the copy is queued and will proceed, on the runner's thread, before the completion callback. Must
    /// not block.
    ///
    /// @param copied reached when the copy has completed; owned by the task, which closes it or passes it on
    protected void onQueued(DeviceEvent copied) {
        throw new IllegalStateException("the task has no callback for a queued copy");
    }

    /// Called when the task has failed.
    ///
    /// @param stranded whether the accelerator may still copy; the memory of neither end may then ever be reused
    protected abstract void onFailed(TransportException cause, boolean stranded);

    /// Cancels the wait for the event: the task fails soon, unless it has ended. A copy continues. Threading: any
    /// thread.
    public final void callOff() {
        calledOff = true;
    }

    final void setCopy(Kind way, long deviceAddress, MemorySegment memory) {
        kind = way;
        address = deviceAddress;
        host = memory;
        calledOff = false;
    }

    final void setEvent(DeviceEvent awaited) {
        kind = Kind.EVENT;
        event = awaited;
        calledOff = false;
    }

    final void setNicWrites() {
        kind = Kind.NIC_WRITES;
        calledOff = false;
    }

    final Kind kind() {
        return kind;
    }

    final long address() {
        return address;
    }

    final MemorySegment host() {
        return Objects.requireNonNull(host, "the task is not a copy");
    }

    /// The event that the task waits for, or the event of its copy once that is queued.
    final DeviceEvent event() {
        return Objects.requireNonNull(event, "the task is not queued");
    }

    final void setQueued(DeviceEvent copied) {
        event = copied;
    }

    final boolean isCalledOff() {
        return calledOff;
    }

    final void fail(TransportException cause, boolean mayStillCopy) {
        failure = cause;
        stranded = mayStillCopy;
    }

    /// Runs the completion callback.
    @Override
    public final void run() {
        TransportException cause = failure;
        // Reset before the callback, which may submit the task again.
        failure = null;
        host = null;
        event = null;
        if (cause == null) {
            onDone();
        } else {
            onFailed(cause, stranded);
        }
    }
}
