/// GPUs by the CUDA driver: one class for each object of it, and [CudaDevices], the way in.
///
/// For applications, which open accelerators and give them to their server. Nobody else of TensorFerry calls it but
/// the command line; it knows the API and the bindings alone.
package io.tensorferry.cuda;
