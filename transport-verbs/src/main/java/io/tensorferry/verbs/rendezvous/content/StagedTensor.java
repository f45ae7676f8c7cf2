package io.tensorferry.verbs.rendezvous.content;

import io.tensorferry.api.Tensor;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.CopyTask;
import java.lang.foreign.MemorySegment;

/// A tensor on an accelerator whose content is copied to the host part by part and sent to a peer. It is released once
/// it is closed and no copy is in progress.
///
/// Owner: the loop. The release runs on the accelerator's copy queue, because it may call the driver.
public final class StagedTensor implements AutoCloseable {
    private final Tensor tensor;
    private final AcceleratorUnit unit;
    private final long address;
    private int copies;
    private boolean closed;

    /// Takes the tensor over.
    ///
    /// @param unit the accelerator of the tensor
    /// @throws IllegalStateException if the tensor is closed; the caller then still owns it
    public StagedTensor(Tensor tensor, AcceleratorUnit unit) {
        this.tensor = tensor;
        this.unit = unit;
        this.address = tensor.address();
    }

    public AcceleratorUnit unit() {
        return unit;
    }

    /// Copies `target.byteSize()` bytes from `offset` on. The caller calls [#copied()] when `task` has ended, with or
    /// without success.
    ///
    /// @param target pinned memory
    public void copy(long offset, MemorySegment target, CopyTask task) {
        copies++;
        unit.copies().toHost(address + offset, target, task);
    }

    /// Returns a new handle of the tensor, for another path.
    Tensor share() {
        return tensor.share();
    }

    /// Reports that one of the copies has ended.
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
