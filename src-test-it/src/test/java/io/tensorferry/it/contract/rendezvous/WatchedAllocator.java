package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Device;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import java.util.ArrayList;
import java.util.List;

/// Wraps an allocator and records the tensors that it has made. Any thread.
final class WatchedAllocator implements TensorAllocator {
    private final TensorAllocator watched;
    private final List<Tensor> made = new ArrayList<>();
    private final List<Long> addresses = new ArrayList<>();

    WatchedAllocator(TensorAllocator watched) {
        this.watched = watched;
    }

    @Override
    public Device device() {
        return watched.device();
    }

    @Override
    public Tensor allocate(DataType dataType, Shape shape, long byteSize) {
        Tensor tensor = watched.allocate(dataType, shape, byteSize);
        synchronized (this) {
            made.add(tensor);
            addresses.add(tensor.address());
        }
        return tensor;
    }

    synchronized int count() {
        return made.size();
    }

    /// Whether the memory of `tensor` was made here.
    synchronized boolean made(Tensor tensor) {
        return addresses.contains(tensor.address());
    }

    synchronized boolean isAllClosed() {
        return made.stream().allMatch(Tensor::isClosed);
    }
}
