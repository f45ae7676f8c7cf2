/// Receives over gRPC while no RDMA channel can be set up: the seam to `io.tensorferry.grpc`, which moves them.
package io.tensorferry.verbs.rendezvous.fallback;
