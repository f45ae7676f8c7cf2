package io.tensorferry.cuda;

/// A GPU as the driver lists it. Listing a GPU does not open it.
///
/// @param ordinal its number in this process, from 0 on; `CUDA_VISIBLE_DEVICES` selects and orders the GPUs
/// @param name as `NVIDIA H200`
/// @param uuid as `f9d3a2c1-0123-4567-89ab-cdef01234567`, without the prefix `GPU-` or `MIG-` of `nvidia-smi`
/// @param pciAddress as `0000:1b:00.0`
/// @param memoryBytes the total memory, used or free, in bytes
public record CudaDescription(int ordinal, String name, String uuid, String pciAddress, long memoryBytes) {}
