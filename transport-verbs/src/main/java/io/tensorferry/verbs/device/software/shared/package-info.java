/// Carries requests between devices of one host through memory that both map: a ring per direction of a queue pair,
/// from
/// whose requester the responder copies the payload.
///
/// [SharedMemory] is a device's part. Each device has a [DeviceFile], on which its peers ring, and a [FileTable], which
/// tells them the memory files out of which it sends. Each direction of a queue pair has a [RingFile]. The connection
/// over which two ends met ([Offer]) stays open, and its end tells one of them that the other is gone.
///
/// [RingRequester] says in the ring what its requester wants done and where the payload lies; [RingResponder] checks
/// it,
/// as the responder checks any request, and copies the payload from the requester's memory into its own. So nobody
/// writes into another process' registered memory, and what a peer may do is decided where the memory is.
///
/// The threads that post and poll do the work, and [LongCopyThread] does it while none polls, or where a copy is long.
///
/// Anything may come out of a file that another process writes: it is read once, and checked.
///
/// For the package `connect`, which brings the ends together, and for
/// [io.tensorferry.verbs.device.software.SoftwareProvider].
package io.tensorferry.verbs.device.software.shared;
