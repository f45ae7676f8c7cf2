/// What a training runtime sees: rendezvous keys, tensors, and the rendezvous that carries one tensor per key from
/// its producer to its consumer.
///
/// Everything a caller needs to send and receive is here, and nothing about how the bytes travel. The transports
/// (`io.tensorferry.verbs`, `io.tensorferry.grpc`) implement [io.tensorferry.api.Rendezvous]; this package knows
/// none of them.
package io.tensorferry.api;
