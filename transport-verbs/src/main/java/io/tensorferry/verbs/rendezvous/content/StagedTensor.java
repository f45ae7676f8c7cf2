package io.tensorferry.verbs.rendezvous.content;

import io.tensorferry.api.Tensor;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.CopyTask;
import java.lang.foreign.MemorySegment;

/// A tensor on an accelerator whose content is on its way to a peer: copied to the host part by part. It is kept until
/// it is closed and nothing copies it any more.
///
/// Owner: the loop. It is not closed there: that may call the driver, its allocator's or that of its event.
public final class StagedTensor implements AutoCloseable {
    private final Tensor tensor;
    private final AcceleratorUnit unit;
    private final long address;
    private int copies;
    private boolean closed;

    /// Takes the tensor.
    ///
    /// @param unit of its device
    /// @throws IllegalStateException if it is closed; then it is the caller's
    public StagedTensor(Tensor tensor, AcceleratorUnit unit) {
        this.tensor = tensor;
        this.unit = unit;
        this.address = tensor.address();
    }

    public AcceleratorUnit unit() {
        return unit;
    }

    /// Copies bytes from `offset` on, as many as `target` has. Whoever has it done calls [#copied()] when `task` has
    /// ended, however.
    ///
    /// @param target pinned
    public void copy(long offset, MemorySegment target, CopyTask task) {
        copies++;
        unit.copies().toHost(address + offset, target, task);
    }

    /// A handle of its own of the tensor, for another way.
    Tensor share() {
        return tensor.share();
    }

    /// One of the copies has ended.
    public void copied() {
        copies--;
        releaseIfDone();
    }

    @Override
    public void close() {
        closed = true;
        releaseIfDone();
    }

    private void releaseIfDone() {
        if (closed && copies == 0) {
            unit.copies().release(tensor);
        }
    }
}
