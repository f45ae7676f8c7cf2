/// The tensors of a step: sends and receives meet in a table by rendezvous key.
///
/// Both protocols use it: `rendezvous.transfer` for requests over RDMA, `io.tensorferry.grpc` for requests over gRPC.
package io.tensorferry.verbs.rendezvous.table;
