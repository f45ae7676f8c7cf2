/// Carries the requests of software queue pairs between processes, over TCP.
///
/// A device listens on one port, which is its LID; the GID holds the IPv4 address: together they say where a queue
/// pair's peer is. The requester of each queue pair dials the peer's device and says in a HELLO which queue pair it
/// wants and which one it is, so a pair of queue pairs has two connections, one per direction of requests; answers
/// come back on the connection of their requests. A header of 32 bytes precedes each message ([Frame]); the payload
/// follows it straight from registered memory and goes straight into registered memory.
///
/// TCP delivers once and in order, so nothing is sent twice. Where hardware has the requester repeat a request that
/// found no receive, the responder keeps it and stops reading the connection for as long as the requester would
/// have gone on trying.
///
/// Nothing that comes from a connection is trusted: a wrong byte ends that connection and nothing else.
///
/// Threading: everything here runs on the device's [IoLoop], but for what is said otherwise.
package io.tensorferry.verbs.device.software.tcp;
