/// Carries requests over TCP: a connection per direction of a queue pair, in frames whose payload goes straight from
/// and
/// into registered memory.
///
/// A header of 32 bytes precedes each message ([Frame]). Answers come back on
/// the connection of their requests. TCP delivers once and in order, so nothing is sent twice. Where hardware has the
/// requester repeat a request that found no receive, the responder keeps the request and stops reading the connection
/// for as long as the requester would have gone on trying.
///
/// Threading: on the device's loop.
///
/// For the package `connect`, which makes the connections.
package io.tensorferry.verbs.device.software.stream;
