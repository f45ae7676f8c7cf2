package io.tensorferry.verbs.simulation;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.thread.PromptRelease;

/// Tells when the memory of a tensor that was sent is given back.
public final class Watched {
    private Watched() {}

    /// A tensor to be sent in the place of `tensor`, which is closed when nobody holds that memory any more.
    public static Tensor memoryOf(Tensor tensor) {
        PromptRelease close = tensor::close;
        return tensor.device() instanceof Accelerator accelerator
                ? Tensor.onDevice(tensor.dataType(), tensor.shape(), accelerator, tensor.address(), close)
                : Tensor.wrap(tensor.dataType(), tensor.shape(), tensor.segment(), close);
    }
}
