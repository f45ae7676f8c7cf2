/// Tensors between two workers over RDMA channels: the state machines of request and response, their messages, and the
/// tables of a peer.
///
/// `io.tensorferry.grpc` uses it through [io.tensorferry.verbs.rendezvous.transfer.RdmaRendezvousManager].
package io.tensorferry.verbs.rendezvous.transfer;
