/// Carries the requests of software queue pairs between devices of one host, through memory that both map.
///
/// [HostPath] is a device's end. Each device has a [DeviceFile], on which its peers ring, and a [FileTable], which
/// tells them the memory files out of which it sends. Each direction of a queue pair has a [RingFile]. A connection
/// of package `tcp` brings two ends together ([Offer]), and by ending tells one that the other is gone.
///
/// [OutgoingRequests] says in the ring what its requester wants done and where the payload lies; [IncomingRequests]
/// checks it, as the responder checks any request, and copies the payload from the requester's memory into its own. So
/// nobody writes into another process' registered memory, and what a peer may do is decided where the memory is.
///
/// Work is done by whoever posts or polls, and by the [Attendant] where nobody does, or where a copy is long.
///
/// What comes out of a file that another process writes is anything at all: it is read once, and checked.
package io.tensorferry.verbs.device.software.shared;
