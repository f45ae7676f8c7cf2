/// Starts and stops a worker of a runtime: [io.tensorferry.grpc.TransportServer] and its builder.
///
/// A server composes one of two transports and depends on the protocol of neither. `grpc+verbs` sets up channels over
/// gRPC and moves tensors by RDMA (`io.tensorferry.verbs`). `grpc` moves the tensors over gRPC as well.
package io.tensorferry.grpc;
