/// Native code as Java sees it. By hand is only what the generated packages below do not give: whether a library is
/// there, calls that keep `errno`, the verbs that are function pointers, sleeping on file descriptors and on words of
/// memory, memory files, and memory in pages of the kernel.
///
/// For the devices, for the memory that is registered with them, and for the accelerators. Nothing here knows what a
/// tensor, a channel or a configuration is.
package io.tensorferry.bindings;
