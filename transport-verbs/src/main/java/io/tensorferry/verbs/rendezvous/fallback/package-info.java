/// Receives that go over gRPC because no RDMA channel can be had: the seam to `io.tensorferry.grpc`, which moves them.
package io.tensorferry.verbs.rendezvous.fallback;
