/// Moves tensors over gRPC: the transport `grpc`, and the fallback of `grpc+verbs`.
package io.tensorferry.grpc.tensors;
