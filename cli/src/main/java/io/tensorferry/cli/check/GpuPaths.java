package io.tensorferry.cli.check;

/// How the tensors of one end went between its GPU and the network. Bytes that were copied went through host memory
/// that is pinned for the GPU and for the RDMA device; others the RDMA device moved by itself.
///
/// @param device as keys name it, `GPU:0`
/// @param direct how the RDMA device reaches the memory by itself, `by dmabuf` or `by address`; or `no`, and why
/// @param bytes of all tensors of one direction
/// @param copiedFromGpu of those that were sent
/// @param copiedToGpu of those that were received
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
        // A tensor that was asked for again was copied again.
        return copied >= bytes
                ? "pinned proxies"
                : "GPUDirect, and " + copied + " of " + bytes + " bytes by pinned proxies";
    }
}
