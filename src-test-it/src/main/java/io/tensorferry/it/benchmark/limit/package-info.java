/// What no way of moving tensors between two processes of one host can be faster than: one copy through shared memory,
/// and a TCP connection with nothing above it.
package io.tensorferry.it.benchmark.limit;
