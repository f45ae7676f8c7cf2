/// Carries requests over TCP: one connection per direction of a queue pair, with frames whose payload moves directly
/// from and into registered memory.
///
/// A header of 32 bytes precedes each message ([Frame]). Answers return on the connection of their requests. TCP
/// delivers once and in order, so nothing is sent twice. In hardware, the requester repeats a request that found no
/// posted receive. Here the responder keeps the request and stops reading the connection for as long as the requester
/// would have retried.
///
/// Threading: on the device's loop.
///
/// Callers: the package `connect`, which makes the connections.
package io.tensorferry.verbs.device.software.stream;
