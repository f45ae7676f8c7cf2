/// The API for training runtimes: rendezvous keys, tensors, and the rendezvous that carries one tensor per key from its
/// producer to its consumer. Edges and partitioned tensors are in packages of their own.
///
/// This package contains everything a caller needs to send and receive, and nothing about the transfer of the bytes.
/// The transports (`io.tensorferry.verbs`, `io.tensorferry.grpc`) implement [io.tensorferry.api.Rendezvous]; this
/// package does not depend on them.
package io.tensorferry.api;
