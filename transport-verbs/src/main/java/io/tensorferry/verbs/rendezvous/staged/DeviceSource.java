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

/// Makes one tensor ready to be written that is on an accelerator, or that is there when an event of one is reached.
///
/// ```
/// wait for its event, if it has one
///   on the host       as any other then
///   registered        leave it where it is: the device reads it there, unless a checksum is wanted
///   small             copy it into registered memory: it may be carried by the ring
///   larger            leave it where it is, until the peer has named memory
///     with checksum   after it was brought to the host once, piece by piece
/// ```
///
/// No proxy is held while something is waited for but the accelerator and a worker: what is small goes on in a buffer
/// of the general pool.
///
/// Owner: the loop, which it is always on but for what workers do for it.
public final class DeviceSource extends CopyTask implements ProxyWaiter {
    /// As much as may be carried by the ring.
    static final int SMALL_BYTES = 4096;

    /// The response that the tensor is for.
    public interface Owner {
        /// The worker that asked for the tensor.
        String peer();

        /// The content is ready to be written, and the owner's.
        void ready(OutgoingContent content);

        /// The tensor is not sent.
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
    // Nobody wants the tensor any more.
    private boolean dropped;
    private @Nullable TransportException aborted;

    // When the event is reached: what is sent, and for the copy into it or for its checksum.
    private @Nullable StagedTensor staged;
    private @Nullable RegisteredBuffer buffer;
    private @Nullable Proxy proxy;
    private long offset;
    private final Checksum checksum = new Checksum();

    /// @param tensor is taken over
    /// @param unit of its device, or for one on the host of any
    /// @param response is told what becomes of it
    /// @param onEventEnded told on the loop when its event is waited for no longer, if it was
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

    /// Waits for `event`, then goes on.
    public void startAfter(DeviceEvent event) {
        unit.copies().whenReached(event, this);
    }

    /// Goes on: the content is there.
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

    /// On a worker, for it may wait for memory at the limit.
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
        // There may be none because copies have kept theirs.
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

    /// The tensor is not sent: gives everything back, and has the receiver told.
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

    /// The event is not to be waited for: the step has ended.
    public void abort(TransportException cause) {
        aborted = cause;
        callOff();
    }

    /// Nobody wants the tensor: its event is not waited for any longer. What has begun goes on.
    public void drop() {
        dropped = true;
        callOff();
    }

    /// What the receiver is told of a device that this worker was not given.
    public static TransportException unknownDevice(Tensor tensor, TransferContext context) {
        return new TransportException(
                StatusCode.INVALID_ARGUMENT,
                "the tensor is on " + tensor.device() + ", and its worker was given " + context.accelerators());
    }

    private StagedTensor staged() {
        return Objects.requireNonNull(staged, "the tensor is not staged");
    }

    private Proxy proxy() {
        return Objects.requireNonNull(proxy, "there is no proxy");
    }
}
