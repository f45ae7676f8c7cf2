/// Tensors over grpc-java, as a user would implement it: a service of two methods whose messages have one `bytes`
/// field.
///
/// Tuned: the producer builds messages without a copy, the service runs on the connection's thread, the native
/// transport is used, and its flow-control window fits a large tensor.
package io.tensorferry.it.benchmark.grpc;
