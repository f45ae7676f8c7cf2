/// Tensors over grpc-java, as a user would write it: a service of two methods whose messages have one `bytes` field.
///
/// Tuned: no copy where the producer makes a message, no thread between the connection and the service, the native
/// transport and its window of flow control as large as a large tensor needs.
package io.tensorferry.it.benchmark.grpc;
