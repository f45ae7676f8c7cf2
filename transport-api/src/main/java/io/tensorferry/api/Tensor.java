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
/// Ownership: each handle is closed by exactly one owner. [Rendezvous#send] takes over its handle inside the call:
/// afterwards the handle counts as closed, its own `close()` does nothing, and the transport keeps the memory alive. If
/// `send` throws, the caller still owns the handle. A handle that is opened by try-with-resources is therefore closed
/// exactly once, whether `send` succeeds or not:
///
/// ```java
/// try (Tensor gradient = server.allocator().allocate(DataType.FLOAT, shape)) {
///     fill(gradient.segment());
///     rendezvous.send(key, gradient);
/// }
/// ```
///
/// A receive's callback owns the handle in its result. [#share()] creates another handle on the same memory for another
/// owner. The memory returns to its allocator when the last handle is closed and no transfer reads or writes it.
///
/// The content must not change after `send`: the transport may read it at any time until the receiver has it, and a
/// receiver on the same worker reads the same memory.
///
/// Threading: a handle may be used from any thread. The content is plain memory, so the writer must publish it safely
/// to readers on other threads. `send` and the receive's callback do this.
public final class Tensor implements AutoCloseable {
    // Never started: memory that this thread can access is not confined to a thread.
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

    /// Wraps off-heap memory of the caller in a tensor; copies nothing.
    ///
    /// @param segment exactly the tensor's bytes, accessible from every thread (a shared, automatic or global arena),
    ///     and alive until `onLastClose` has run
    /// @param onLastClose runs once, on the thread that closes the last handle, or on a virtual thread if a thread of
    ///     the transport closes it. Its exceptions are logged. It does not run if this method throws
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

    /// Wraps memory of an accelerator, provided by the caller, in a tensor; copies nothing.
    ///
    /// @param address the device address of the first byte; `shape.byteSize(dataType)` bytes from there stay alive
    ///     until `onLastClose` has run
    /// @param onLastClose runs once, on the thread that closes the last handle, or on a virtual thread if a thread of
    ///     the transport closes it. Its exceptions are logged. It does not run if this method throws
    /// @throws IllegalArgumentException if the elements of `dataType` have no fixed size ([DataType#STRING])
    public static Tensor onDevice(
            DataType dataType, Shape shape, Accelerator device, long address, Runnable onLastClose) {
        if (!dataType.isDmaAble()) {
            throw new IllegalArgumentException(
                    "a " + dataType + " tensor must be in host memory: its elements have no fixed size");
        }
        return new Tensor(dataType, shape, SharedMemory.of(device, address, shape.byteSize(dataType), onLastClose));
    }

    /// The type of the elements.
    public DataType dataType() {
        return dataType;
    }

    /// The dimensions, outermost first.
    public Shape shape() {
        return shape;
    }

    /// The device that holds the memory: [Device#HOST] or an [Accelerator].
    public Device device() {
        return memory.device();
    }

    /// The address of the first byte in the address space of [#device()]. Do not use it after this handle is closed.
    ///
    /// @throws IllegalStateException if this handle is closed
    public long address() {
        checkOpen();
        return memory.address();
    }

    /// Declares that the content is undefined until `event` is reached; receivers of the tensor wait for the event.
    ///
    /// Call it before the tensor is sent. It applies to all handles on this memory. Ownership: the memory takes over
    /// the event and closes it with the last handle, or when another event replaces it.
    ///
    /// @return this handle
    /// @throws IllegalStateException if this handle is closed; the caller still owns the event
    public Tensor readyAfter(DeviceEvent event) {
        checkOpen();
        memory.readyAfter(event);
        return this;
    }

    /// The event after which the content is complete, or null if it is complete now. The tensor owns the event.
    public @Nullable DeviceEvent readyEvent() {
        return memory.ready();
    }

    /// The size of the memory in bytes: `shape().byteSize(dataType())`; for strings, offsets and elements together.
    public long byteSize() {
        return memory.byteSize();
    }

    /// The memory of this tensor, [#byteSize()] bytes, without a copy. Do not use it after this handle is closed.
    ///
    /// @throws IllegalStateException if this handle is closed
    /// @throws UnsupportedOperationException if the processor cannot access the memory ([Device#hostAccessible()])
    public MemorySegment segment() {
        checkOpen();
        return memory.segment();
    }

    /// The memory of this tensor as a little-endian byte buffer, without a copy. Do not use it after this handle is
    /// closed.
    ///
    /// @throws IllegalStateException if this handle is closed
    /// @throws UnsupportedOperationException if the tensor exceeds the size of a byte buffer (2 GiB - 1), or the
    ///     processor cannot access the memory ([Device#hostAccessible()])
    public ByteBuffer asByteBuffer() {
        if (byteSize() > Integer.MAX_VALUE) {
            throw new UnsupportedOperationException(
                    "a tensor of " + byteSize() + " bytes does not fit in a ByteBuffer; use segment()");
        }
        return segment().asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    }

    /// Copies the elements of a [DataType#FLOAT] tensor into an array, row-major.
    ///
    /// @throws IllegalStateException if this handle is closed, or the tensor has another type
    /// @throws UnsupportedOperationException if the processor cannot access the memory ([Device#hostAccessible()])
    public float[] toFloatArray() {
        return elements(DataType.FLOAT).toArray(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
    }

    /// Copies the elements of a [DataType#DOUBLE] tensor into an array, row-major.
    ///
    /// @throws IllegalStateException if this handle is closed, or the tensor has another type
    /// @throws UnsupportedOperationException if the processor cannot access the memory ([Device#hostAccessible()])
    public double[] toDoubleArray() {
        return elements(DataType.DOUBLE).toArray(ValueLayout.JAVA_DOUBLE_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
    }

    /// Copies the elements of a [DataType#INT32] tensor into an array, row-major.
    ///
    /// @throws IllegalStateException if this handle is closed, or the tensor has another type
    /// @throws UnsupportedOperationException if the processor cannot access the memory ([Device#hostAccessible()])
    public int[] toIntArray() {
        return elements(DataType.INT32).toArray(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
    }

    /// Copies the elements of a [DataType#INT64] tensor into an array, row-major.
    ///
    /// @throws IllegalStateException if this handle is closed, or the tensor has another type
    /// @throws UnsupportedOperationException if the processor cannot access the memory ([Device#hostAccessible()])
    public long[] toLongArray() {
        return elements(DataType.INT64).toArray(ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN));
    }

    /// Copies the elements of a [DataType#STRING] tensor into arrays, row-major.
    ///
    /// The memory layout is `n + 1` little-endian 64-bit offsets, relative to the end of the offsets, followed by the
    /// bytes of all elements.
    ///
    /// @throws IllegalStateException if this handle is closed, the tensor has another type, its memory does not have
    ///     this layout, or the elements exceed the size of a list or an array
    public List<byte[]> toStrings() {
        return StringLayout.read(elements(DataType.STRING), shape.elementCount());
    }

    private MemorySegment elements(DataType wanted) {
        if (dataType != wanted) {
            throw new IllegalStateException("a " + dataType + " tensor cannot be read as " + wanted);
        }
        return segment();
    }

    /// Creates another handle on the same memory, to be closed by its own owner.
    ///
    /// @throws IllegalStateException if this handle is closed
    public Tensor share() {
        checkOpen();
        // Completes the check: another thread may close this handle after checkOpen().
        if (!memory.retain()) {
            throw closedException();
        }
        return new Tensor(dataType, shape, memory);
    }

    /// Transfers this handle to its next owner: returns a new handle on the same memory and marks this one as closed.
    /// Neither the number of open handles nor the memory changes. [Rendezvous#send] and
    /// [io.tensorferry.api.edge.EdgeSender#send] take over tensors this way.
    ///
    /// If several threads call this method or [#close()], exactly one of the calls succeeds.
    ///
    /// @return the new handle, closed by its next owner
    /// @throws IllegalStateException if this handle is closed or was handed over before
    public Tensor handOver() {
        checkOpen();
        var next = new Tensor(dataType, shape, memory);
        if (!watch.end(true)) {
            // The new handle does not own a reference to the memory.
            next.watch.end(false);
            throw closedException();
        }
        return next;
    }

    /// Whether this handle was closed, sent, or handed over.
    public boolean isClosed() {
        return watch.isClosed();
    }

    /// Releases this handle. Does nothing if the handle is already closed, or was sent or handed over.
    @Override
    public void close() {
        if (watch.end(false)) {
            memory.release();
        }
    }

    /// The number of handles in this process that became unreachable without being closed; 0 in a correct program.
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
