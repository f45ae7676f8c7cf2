/// What a runtime starts and stops: the cluster's description, this worker's server, and behind it one of two
/// transports.
///
/// `grpc+verbs` sets up channels over gRPC and moves tensors by RDMA (`io.tensorferry.verbs`); `grpc` moves the
/// tensors over gRPC as well. The server composes them and knows neither's protocol.
package io.tensorferry.grpc;
