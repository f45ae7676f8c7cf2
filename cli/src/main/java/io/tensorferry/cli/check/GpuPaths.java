package io.tensorferry.cli.check;

/// The paths of one end's tensors between its GPU and the network. Copied bytes passed through host memory that is
/// pinned for the GPU and for the RDMA device; the RDMA device transferred all other bytes directly.
///
/// @param device the GPU as named in keys, for example `GPU:0`
/// @param direct the RDMA device's direct access to the memory, `by dmabuf` or `by address`; or `no`, with the reason
/// @param bytes the size of all tensors in one direction
/// @param copiedFromGpu bytes copied from the GPU to send
/// @param copiedToGpu received bytes copied to the GPU
record GpuPaths(String device, String direct, long bytes, long copiedFromGpu, long copiedToGpu) {
    String sent() {
        return way(copiedFromGpu);
    }

    String received() {
        return way(copiedToGpu);
    }

    private String way(long copied) {
        if (copied == 0) {
            return "GPUDirect";
        }
        // A tensor that was requested again was copied again.
        return copied >= bytes
                ? "pinned proxies"
                : "GPUDirect, and " + copied + " of " + bytes + " bytes by pinned proxies";
    }
}
