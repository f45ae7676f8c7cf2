package io.tensorferry.api;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A handle on a tensor: element type, shape, and reference-counted memory, row-major, little-endian, without padding.
/// The memory is off-heap, or on an [Accelerator], where the processor reaches it only by copies.
///
/// Ownership: each handle is closed by exactly one owner. [Rendezvous#send] takes over the handle that it is given,
/// inside the call: afterwards the handle counts as closed, its own `close()` does nothing, and the transport keeps the
/// memory alive. If `send` throws, the caller still owns the handle. A handle that is opened by try-with-resources is
/// therefore closed exactly once, whether `send` succeeds or not:
///
/// ```java
/// try (Tensor gradient = server.allocator().allocate(DataType.FLOAT, shape)) {
///     fill(gradient.segment());
///     rendezvous.send(key, gradient);
/// }
/// ```
///
/// A receive's callback owns the handle it gets. [#share()] makes another handle on the same memory, for another
/// owner. The memory goes back to where it came from when the last handle is closed and no transfer reads or writes it.
///
/// After `send` the content must not be changed: the transport may read it at any time until the receiver has it,
/// and a receiver on the same worker sees the same memory.
///
/// Threading: a handle may be used from any thread; the content is plain memory, so whoever writes it must publish
/// it to whoever reads it. `send` and the callback do that.
public final class Tensor implements AutoCloseable {
    // Never started: memory that is accessible by it is not confined to any thread.
    private static final Thread ANOTHER_THREAD =
            Thread.ofVirtual().inheritInheritableThreadLocals(false).unstarted(() -> {});

    private final DataType dataType;
    private final Shape shape;
    private final SharedMemory memory;
    private final LeakDetector.Watch watch;

    private Tensor(DataType dataType, Shape shape, SharedMemory memory) {
        this.dataType = dataType;
        this.shape = shape;
        this.memory = memory;
        this.watch = LeakDetector.watch(this, dataType, shape);
    }

    /// Wraps memory that the caller provides.
    ///
    /// @param segment off-heap memory of exactly the tensor's bytes, accessible from every thread (a shared,
    ///     automatic or global arena), and alive until `onLastClose` has run
    /// @param onLastClose runs once, on the thread that closes the last handle, or on a virtual thread where a thread
    /// of
    ///     the transport closes it. What it throws is logged. It does not run if this throws
    /// @throws IllegalArgumentException if the segment is on the heap, confined to a thread, or of the wrong size
    public static Tensor wrap(DataType dataType, Shape shape, MemorySegment segment, Runnable onLastClose) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("the memory of a tensor must be off-heap; this segment is on the heap");
        }
        if (!segment.isAccessibleBy(ANOTHER_THREAD)) {
            throw new IllegalArgumentException(
                    "the memory of a tensor must be accessible from every thread; this segment is confined to one");
        }
        if (dataType.isDmaAble() && segment.byteSize() != shape.byteSize(dataType)) {
            throw new IllegalArgumentException("a " + dataType + " tensor of shape " + shape + " takes "
                    + shape.byteSize(dataType) + " bytes, the segment has " + segment.byteSize());
        }
        return new Tensor(dataType, shape, SharedMemory.ofHost(segment, onLastClose));
    }

    /// A tensor in memory of an accelerator that the caller provides.
    ///
    /// @param address of its first byte, as the device counts it; alive, with `shape.byteSize(dataType)` bytes, until
    ///     `onLastClose` has run
    /// @param onLastClose runs once, on the thread that closes the last handle, or on a virtual thread where a thread
    /// of
    ///     the transport closes it. What it throws is logged. It does not run if this throws
    /// @throws IllegalArgumentException if the type's elements have no fixed size, as those of strings
    public static Tensor onDevice(
            DataType dataType, Shape shape, Accelerator device, long address, Runnable onLastClose) {
        if (!dataType.isDmaAble()) {
            throw new IllegalArgumentException(
                    "a " + dataType + " tensor is in host memory: its elements have no fixed size");
        }
        return new Tensor(dataType, shape, SharedMemory.of(device, address, shape.byteSize(dataType), onLastClose));
    }

    public DataType dataType() {
        return dataType;
    }

    public Shape shape() {
        return shape;
    }

    /// Where the memory lives.
    public Device device() {
        return memory.device();
    }

    /// Where the memory begins, as its device counts it. Not to be used after this handle is closed.
    ///
    /// @throws IllegalStateException if this handle is closed
    public long address() {
        checkOpen();
        return memory.address();
    }

    /// Says that the content is there when `event` is reached, and not before: whoever is given the tensor waits for
    /// it. To be said before the tensor is sent; of all handles on this memory, which takes the event over and closes
    /// it with the last of them.
    ///
    /// @return this handle
    /// @throws IllegalStateException if this handle is closed; the event is the caller's then
    public Tensor readyAfter(DeviceEvent event) {
        checkOpen();
        memory.readyAfter(event);
        return this;
    }

    /// When it is reached the content is there; null where it is there now.
    public @Nullable DeviceEvent readyEvent() {
        return memory.ready();
    }

    /// Bytes of memory: `shape().byteSize(dataType())`, or for strings the size of offsets and elements together.
    public long byteSize() {
        return memory.byteSize();
    }

    /// The memory itself, no copy, of [#byteSize()] bytes. Not to be used after this handle is closed.
    ///
    /// @throws IllegalStateException if this handle is closed
    /// @throws UnsupportedOperationException if the processor cannot reach it ([Device#hostAccessible()])
    public MemorySegment segment() {
        checkOpen();
        return memory.segment();
    }

    /// The memory as a little-endian byte buffer, no copy. Not to be used after this handle is closed.
    ///
    /// @throws IllegalStateException if this handle is closed
    /// @throws UnsupportedOperationException if the tensor is larger than a byte buffer can be (2 GiB - 1)
    public ByteBuffer asByteBuffer() {
        if (byteSize() > Integer.MAX_VALUE) {
            throw new UnsupportedOperationException(
                    "a tensor of " + byteSize() + " bytes does not fit in a ByteBuffer; use segment()");
        }
        return segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /// A copy of the elements of a [DataType#FLOAT] tensor, row-major.
    ///
    /// @throws IllegalStateException if this handle is closed, or the tensor is of another type
    public float[] toFloatArray() {
        return elements(DataType.FLOAT).toArray(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
    }

    /// A copy of the elements of a [DataType#DOUBLE] tensor, row-major.
    ///
    /// @throws IllegalStateException if this handle is closed, or the tensor is of another type
    public double[] toDoubleArray() {
        return elements(DataType.DOUBLE).toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
    }

    /// A copy of the elements of a [DataType#INT32] tensor, row-major.
    ///
    /// @throws IllegalStateException if this handle is closed, or the tensor is of another type
    public int[] toIntArray() {
        return elements(DataType.INT32).toArray(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
    }

    /// A copy of the elements of a [DataType#INT64] tensor, row-major.
    ///
    /// @throws IllegalStateException if this handle is closed, or the tensor is of another type
    public long[] toLongArray() {
        return elements(DataType.INT64).toArray(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
    }

    /// Copies of the elements of a [DataType#STRING] tensor, row-major. In memory they are `n + 1` little-endian
    /// 64-bit offsets, counted from the end of the offsets, and then the bytes.
    ///
    /// @throws IllegalStateException if this handle is closed, the tensor is of another type, or its memory does
    ///     not hold that layout
    public List<byte[]> toStrings() {
        return StringLayout.read(elements(DataType.STRING), shape.elementCount());
    }

    private MemorySegment elements(DataType wanted) {
        if (dataType != wanted) {
            throw new IllegalStateException("a " + dataType + " tensor cannot be read as " + wanted);
        }
        return segment();
    }

    /// Another handle on the same memory, to be closed by its own owner.
    ///
    /// @throws IllegalStateException if this handle is closed
    public Tensor share() {
        checkOpen();
        // The other half of the check: this handle may be closed by another thread meanwhile.
        if (!memory.retain()) {
            throw closedException();
        }
        return new Tensor(dataType, shape, memory);
    }

    /// Moves this handle to its next owner: the result is a new handle on the same memory, and this one counts as
    /// closed from now on. Neither the number of open handles nor the memory changes. `send` of a rendezvous and of an
    /// edge takes tensors over in this way.
    ///
    /// Of several threads that call this or [#close()], exactly one succeeds.
    ///
    /// @return the new handle, which the next owner closes
    /// @throws IllegalStateException if this handle is closed or was handed over before
    public Tensor handOver() {
        checkOpen();
        var next = new Tensor(dataType, shape, memory);
        if (!watch.end(true)) {
            // It does not own the memory.
            next.watch.end(false);
            throw closedException();
        }
        return next;
    }

    /// Whether this handle has been closed or handed over, as by a `send`.
    public boolean isClosed() {
        return watch.isClosed();
    }

    /// Gives up this handle. Does nothing if it is closed already, or was handed over, as by a `send`.
    @Override
    public void close() {
        if (watch.end(false)) {
            memory.release();
        }
    }

    /// Handles of this process that became unreachable without being closed, since its start. 0 in a correct
    /// program.
    public static long leakedHandleCount() {
        return LeakDetector.leakedCount();
    }

    private void checkOpen() {
        if (isClosed()) {
            throw closedException();
        }
    }

    private IllegalStateException closedException() {
        return new IllegalStateException("this handle on a " + dataType + " tensor of shape " + shape
                + (watch.isHandedOver() ? " was sent or handed over before" : " is closed"));
    }

    @Override
    public String toString() {
        return "Tensor[" + dataType + " " + shape + ", " + byteSize() + " bytes"
                + (device().hostAccessible() ? "" : " on " + device())
                + (watch.isHandedOver() ? ", handed over]" : isClosed() ? ", closed]" : "]");
    }
}
