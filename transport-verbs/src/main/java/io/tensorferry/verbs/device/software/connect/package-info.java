/// Connects the queue pairs of two processes. A device listens, the requester of each queue pair dials the peer's
/// device, and both exchange a hello. Then TCP (`stream`) or shared memory (`shared`) carries the requests.
///
/// A device listens on one port, which is its LID; the GID holds the IPv4 address. Together they locate the peer of a
/// queue pair. The requester's HELLO names the wanted and the asking queue pair. A pair of queue pairs therefore has
/// two connections, one per direction of requests. Each end decides independently whether to offer or accept shared
/// memory.
///
/// Data from a connection is untrusted: an invalid byte ends that connection only.
///
/// Threading: on the device's [io.tensorferry.verbs.device.software.loop.DeviceEventLoop], unless a method states
/// otherwise.
///
/// Callers: [io.tensorferry.verbs.device.software.SoftwareProvider], which opens devices.
package io.tensorferry.verbs.device.software.connect;
