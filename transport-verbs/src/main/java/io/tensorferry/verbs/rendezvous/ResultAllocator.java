package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Device;
import io.tensorferry.api.ReceiveOptions;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.Objects;

/// Checks the results of the allocator that the user gave for a receive. It returns the requested tensor in writable
/// memory of the allocator's device, and converts every other outcome of the user's code to a [TransportException].
///
/// Threading: any thread, as the user's allocator. It blocks if the user's allocator does.
public final class ResultAllocator implements TensorAllocator {
    private final TensorAllocator given;

    private ResultAllocator(TensorAllocator given) {
        this.given = given;
    }

    /// Returns the allocator of a result: the checked allocator of `options`, or `own` if `options` has none.
    public static TensorAllocator of(ReceiveOptions options, TensorAllocator own) {
        TensorAllocator given = options.allocator();
        return given == null || own.equals(given) ? own : new ResultAllocator(given);
    }

    /// Returns the allocator of a result where the transport's own memory is the pool; the options may name the pool's
    /// allocator too.
    ///
    /// @param mayWait whether this thread may wait for memory when the pool is at its limit
    public static TensorAllocator of(ReceiveOptions options, RegisteredMemory pool, boolean mayWait) {
        TensorAllocator chosen = of(options, pool.allocator());
        return pool.allocator().equals(chosen) && !mayWait ? pool.allocatorNow() : chosen;
    }

    @Override
    public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
        Tensor made = null;
        try {
            made = Objects.requireNonNull(given.allocate(dataType, shape, byteSize), "it returned no tensor");
            check(made, given.device(), dataType, shape, byteSize);
            return made;
        } catch (Throwable e) {
            // Catches Errors too, such as a missing library or a failed assertion; otherwise the receive would wait
            // forever.
            if (made != null) {
                made.close();
            }
            throw asFailure(e, byteSize);
        }
    }

    private static void check(Tensor made, Device device, DataType dataType, Shape shape, long byteSize) {
        if (made.dataType() != dataType || !made.shape().equals(shape) || made.byteSize() != byteSize) {
            throw new IllegalStateException(
                    "it was asked for " + dataType + " " + shape + " of " + byteSize + " bytes, but returned " + made);
        }
        if (!made.device().equals(device)) {
            throw new IllegalStateException("it allocates on " + device + ", but returned " + made);
        }
        if (made.readyEvent() != null) {
            // The content is written when it arrives, without a wait for the event, and its own event replaces this
            // one.
            throw new IllegalStateException("the memory of " + made
                    + " is usable only after an event; that of a result must be usable at once");
        }
        if (!device.hostAccessible()) {
            // Throws if the tensor is closed.
            var _ = made.address();
        } else if (made.segment().isReadOnly()) {
            throw new IllegalStateException("the memory of " + made + " is read-only");
        }
    }

    private static TransportException asFailure(Throwable thrown, long byteSize) {
        return switch (thrown) {
            case TransportException known -> known;
            case OutOfMemoryError e ->
                new TransportException(
                        StatusCode.RESOURCE_EXHAUSTED, "no memory for a result of " + byteSize + " bytes", e);
            default ->
                new TransportException(
                        StatusCode.INTERNAL, "the allocator given for the result failed: " + thrown, thrown);
        };
    }
}
