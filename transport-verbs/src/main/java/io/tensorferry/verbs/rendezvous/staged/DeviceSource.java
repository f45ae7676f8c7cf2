package io.tensorferry.verbs.rendezvous.staged;

import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.CopyTask;
import io.tensorferry.verbs.accelerator.Proxy;
import io.tensorferry.verbs.accelerator.ProxyWaiter;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.rendezvous.content.OutgoingContent;
import io.tensorferry.verbs.rendezvous.content.StagedTensor;
import io.tensorferry.verbs.rendezvous.content.TransferContext;
import io.tensorferry.verbs.wire.Checksum;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Prepares a tensor for writing that is on an accelerator, or that becomes ready with an accelerator event.
///
/// ```
/// wait for its event, if it has one
/// on the host       prepare it as any other host tensor
/// registered        leave it in place: the device reads it there, unless a checksum is requested
/// small             copy it into registered memory: the ring may carry it
/// larger            leave it in place until the peer has named memory
///      with checksum   first copy it to the host once, piece by piece
/// ```
///
/// A proxy is held only while the accelerator or a worker uses it: a small content continues in a buffer of the general
/// pool.
///
/// Owner: the loop. Only the work handed to worker threads runs elsewhere.
public final class DeviceSource extends CopyTask implements ProxyWaiter {
    /// The largest content that is copied so that the ring may carry it.
    static final int SMALL_BYTES = 4096;

    /// The response that the tensor is for.
    public interface Owner {
        /// The worker that requested the tensor.
        String peer();

        /// The content is ready to be written; the owner takes it over.
        void ready(OutgoingContent content);

        /// The tensor cannot be sent.
        void failed(Throwable cause);
    }

    private enum Phase {
        EVENT,
        SMALL,
        CHECKSUM
    }

    private final TransferContext context;
    private final Tensor tensor;
    private final boolean withChecksum;
    private final AcceleratorUnit unit;
    private final Owner response;
    private final Consumer<DeviceSource> onEventEnded;
    private Phase phase = Phase.EVENT;
    // The tensor is not wanted any more.
    private boolean dropped;
    private @Nullable TransportException aborted;

    // Set once the event is reached: the content to send, and the memory for its copy or its checksum.
    private @Nullable StagedTensor staged;
    private @Nullable RegisteredBuffer buffer;
    private @Nullable Proxy proxy;
    private long offset;
    private final Checksum checksum = new Checksum();

    /// @param tensor taken over
    /// @param unit the accelerator of the tensor's device; any accelerator for a tensor on the host
    /// @param response notified of the result
    /// @param onEventEnded called on the loop when the wait for the tensor's event ends, if there was a wait
    public DeviceSource(
            TransferContext context,
            Tensor tensor,
            boolean withChecksum,
            AcceleratorUnit unit,
            Owner response,
            Consumer<DeviceSource> onEventEnded) {
        this.context = context;
        this.tensor = tensor;
        this.withChecksum = withChecksum;
        this.unit = unit;
        this.response = response;
        this.onEventEnded = onEventEnded;
    }

    /// Waits for `event`, then continues.
    public void startAfter(DeviceEvent event) {
        unit.copies().whenReached(event, this);
    }

    /// Continues with complete content.
    public void start() {
        TransportException broken = unit.copies().broken();
        if (broken != null) {
            fail(broken);
            return;
        }
        if (tensor.device().hostAccessible()) {
            context.workers().execute(this::prepareOnHost);
        } else if (tensor.byteSize() == 0) {
            unit.copies().release(tensor);
            response.ready(OutgoingContent.ofEmpty(metaData(), withChecksum));
        } else {
            begin();
        }
    }

    private void prepareOnHost() {
        try {
            OutgoingContent prepared = OutgoingContent.prepare(
                            tensor, withChecksum, context.memory(), context.counters())
                    .closedBy(unit.copies());
            context.loop().execute(() -> response.ready(prepared));
        } catch (RuntimeException | Error e) {
            context.loop().execute(() -> response.failed(e));
        }
    }

    private void begin() {
        StagedTensor source;
        MemoryRegion region;
        try {
            region = withChecksum ? null : context.memory().regionOf(tensor.address(), tensor.byteSize());
            source = new StagedTensor(tensor, unit);
        } catch (IllegalStateException e) {
            fail(e);
            return;
        }
        if (region != null) {
            unit.countDirect();
            response.ready(OutgoingContent.ofDirect(metaData(), tensor, region, unit.copies()));
            return;
        }
        unit.countStaged();
        staged = source;
        if (tensor.byteSize() <= SMALL_BYTES) {
            phase = Phase.SMALL;
            context.workers().execute(this::allocate);
        } else if (withChecksum) {
            phase = Phase.CHECKSUM;
            acquire(Math.min(unit.options().pieceBytes(), tensor.byteSize()));
        } else {
            response.ready(OutgoingContent.ofStaged(metaData(), source, OptionalLong.empty()));
        }
    }

    private TensorMetaData metaData() {
        return TensorMetaData.of(tensor.dataType(), tensor.shape());
    }

    /// Runs on a worker, because it may wait for memory at the limit.
    private void allocate() {
        try {
            RegisteredBuffer allocated = context.memory().allocate(tensor.byteSize());
            context.loop().execute(() -> {
                buffer = allocated;
                acquire(allocated.byteSize());
            });
        } catch (RuntimeException | Error e) {
            context.loop().execute(() -> fail(e));
        }
    }

    private void acquire(long bytes) {
        unit.sendProxies().acquire(bytes, response.peer(), this);
    }

    @Override
    public void onNoProxy(TransportException cause) {
        // Failed copies may have kept their proxies, so that none is left.
        fail(unit.firstCause(cause));
    }

    @Override
    public void onProxy(Proxy given) {
        proxy = given;
        copyPiece();
    }

    private void copyPiece() {
        staged().copy(offset, piece(), this);
    }

    private MemorySegment piece() {
        MemorySegment whole = proxy().segment();
        long left = tensor.byteSize() - offset;
        return left < whole.byteSize() ? whole.asSlice(0, left) : whole;
    }

    @Override
    protected void onDone() {
        switch (phase) {
            case EVENT -> onReached();
            case SMALL -> onSmallCopied();
            case CHECKSUM -> {
                staged().copied();
                MemorySegment piece = piece();
                context.workers().execute(() -> {
                    checksum.add(piece);
                    context.loop().execute(() -> onAdded(piece.byteSize()));
                });
            }
        }
    }

    private void onReached() {
        onEventEnded.accept(this);
        if (dropped) {
            unit.copies().release(tensor);
        } else if (aborted != null) {
            fail(aborted);
        } else {
            start();
        }
    }

    private void onSmallCopied() {
        RegisteredBuffer filled = Objects.requireNonNull(buffer);
        filled.segment().copyFrom(proxy().segment());
        staged().copied();
        proxy().close();
        staged().close();
        response.ready(OutgoingContent.ofBuffer(metaData(), filled, withChecksum));
    }

    private void onAdded(long bytes) {
        offset += bytes;
        if (offset < tensor.byteSize()) {
            copyPiece();
        } else {
            proxy().close();
            response.ready(OutgoingContent.ofStaged(metaData(), staged(), OptionalLong.of(checksum.value())));
        }
    }

    @Override
    protected void onFailed(TransportException cause, boolean stranded) {
        if (phase == Phase.EVENT) {
            onEventEnded.accept(this);
            if (dropped) {
                unit.copies().release(tensor);
            } else {
                fail(aborted != null ? aborted : cause);
            }
            return;
        }
        staged().copied();
        if (stranded) {
            proxy().strand();
            proxy = null;
        }
        fail(cause);
    }

    /// Releases everything and reports to the receiver that the tensor is not sent.
    private void fail(Throwable cause) {
        if (proxy != null) {
            proxy.close();
        }
        if (buffer != null) {
            buffer.close();
        }
        if (staged != null) {
            staged.close();
        } else {
            unit.copies().release(tensor);
        }
        response.failed(cause);
    }

    /// Ends the wait for the event, because the step has ended.
    public void abort(TransportException cause) {
        aborted = cause;
        callOff();
    }

    /// Ends the wait for the event, because the tensor is not wanted. Work in progress continues.
    public void drop() {
        dropped = true;
        callOff();
    }

    /// Returns the failure for a tensor on a device that this worker was not given.
    public static TransportException unknownDevice(Tensor tensor, TransferContext context) {
        return new TransportException(
                StatusCode.INVALID_ARGUMENT,
                "the tensor is on " + tensor.device() + ", but its worker was given " + context.accelerators());
    }

    private StagedTensor staged() {
        return Objects.requireNonNull(staged, "the tensor is not staged");
    }

    private Proxy proxy() {
        return Objects.requireNonNull(proxy, "there is no proxy");
    }
}
