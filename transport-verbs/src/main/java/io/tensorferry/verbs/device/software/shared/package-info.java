/// Carries requests between devices of one host through memory that both map. Each direction of a queue pair has a
/// ring, and the responder copies payload from the requester's memory.
///
/// [SharedMemory] is a device's part. Each device has a [DeviceFile], through which its peers notify it, and a
/// [FileTable], which lists the memory files from which it sends. Each direction of a queue pair has a [RingFile]. The
/// connection over which the two ends exchanged their [Offer]s stays open; its end signals that the peer is gone.
///
/// [RingRequester] writes the request and the location of its payload into the ring. [RingResponder] checks it like any
/// other request, and copies the payload from the requester's memory into its own. Therefore no process writes to the
/// registered memory of another, and the owner of the memory enforces the access rights.
///
/// [RequestWriter] and [RequestReader], [AnswerWriter] and [AnswerReader] hold the order of the stores and loads in a
/// ring, so that tests can run it without a device.
///
/// Posting and polling threads do the work. [LongCopyThread] does it while no thread polls, and for long copies.
///
/// Files that another process writes are untrusted: each value is read once, and checked.
///
/// Callers: the package `connect`, which connects the ends, and
/// [io.tensorferry.verbs.device.software.SoftwareProvider].
package io.tensorferry.verbs.device.software.shared;
