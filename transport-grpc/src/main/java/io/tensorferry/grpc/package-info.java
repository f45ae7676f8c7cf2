/// Starts and stops a worker of a runtime: [io.tensorferry.grpc.TransportServer] and its builder.
///
/// A server uses one of two transports and is independent of their protocols. `grpc+verbs` sets up channels over gRPC
/// and moves tensors by RDMA (`io.tensorferry.verbs`). `grpc` moves the tensors over gRPC as well.
package io.tensorferry.grpc;
