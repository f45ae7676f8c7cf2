package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.TransportException;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A copy between an accelerator and the host, the wait for an event, or that for what a NIC has written. It may be
/// given to a queue again when it has ended.
///
/// Ownership: the queue's from when it is given to it until [#onDone()] or [#onFailed] runs, once, on the executor that
/// the queue tells. Whoever gave it keeps both ends of the copy, and the event, for as long.
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

    /// Of nothing yet: a queue is told of what.
    protected CopyTask() {}

    /// All of it is copied, the event is reached, or what was written is there.
    protected abstract void onDone();

    /// Whether [#onQueued] is to be told.
    protected boolean wantsToKnowWhenQueued() {
        return false;
    }

    /// The copy is queued, and goes on. On the thread that does the queue's work, before the end is told; it takes no
    /// time.
    ///
    /// @param copied is reached when all of it is copied; the task's from now on, which closes it or gives it to
    ///     somebody who does
    protected void onQueued(DeviceEvent copied) {
        throw new IllegalStateException("it did not want to know");
    }

    /// It was not done.
    ///
    /// @param stranded whether the accelerator may still copy: neither end's memory is ever to be used again
    protected abstract void onFailed(TransportException cause, boolean stranded);

    /// Nobody waits for the event any more: the task fails soon, unless it has ended. A copy goes on. Any thread.
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
        return Objects.requireNonNull(host, "it is no copy");
    }

    /// That which it waits for, or that of its copy once that is queued.
    final DeviceEvent event() {
        return Objects.requireNonNull(event, "it is not queued");
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

    /// Tells its end.
    @Override
    public final void run() {
        TransportException cause = failure;
        // Before it tells: it may be given to the queue again at once.
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
