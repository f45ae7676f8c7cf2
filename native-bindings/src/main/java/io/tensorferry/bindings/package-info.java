/// Native libraries and system calls for Java. The handwritten classes add to the generated packages below: detection
/// of libraries, calls that capture `errno`, the verbs that are function pointers, waiting on file descriptors and on
/// words of memory, memory files, and page memory from the kernel.
///
/// The users are the code for RDMA devices, for registered memory, and for accelerators. This package does not depend
/// on tensors, channels or configuration.
package io.tensorferry.bindings;
