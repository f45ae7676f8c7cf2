/// GPUs of the CUDA driver: one class for each kind of driver object, and [CudaDevices], the entry point.
///
/// Applications open accelerators here and give them to their server. Within TensorFerry only the command line uses
/// this package; it depends only on the API and the bindings.
package io.tensorferry.cuda;
