package io.tensorferry.cuda;

/// A GPU as the driver lists it; nothing of it is in use for that.
///
/// @param ordinal its number in this process, from 0 on; `CUDA_VISIBLE_DEVICES` changes which and in what order
/// @param name as `NVIDIA H200`
/// @param uuid as `f9d3a2c1-0123-4567-89ab-cdef01234567`, before which `nvidia-smi` puts `GPU-` or `MIG-`
/// @param pciAddress as `0000:1b:00.0`
/// @param memoryBytes all memory that it has, in use or not
public record CudaDescription(int ordinal, String name, String uuid, String pciAddress, long memoryBytes) {}
