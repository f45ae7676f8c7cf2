/// Brings the queue pairs of two processes together: a device listens, the requester of each queue pair dials the
/// peer's
/// device, both say hello, and then TCP (`stream`) or shared memory (`shared`) carries the requests.
///
/// A device listens on one port, which is its LID; the GID holds the IPv4 address: together they say where the peer of
/// a queue pair is. The requester says in a HELLO which queue pair it asks for and which one it is, so a pair of queue
/// pairs has two connections, one per direction of requests. Whether the requester offers shared memory, and whether
/// the responder takes it, each end decides for itself.
///
/// Nothing that comes from a connection is trusted: a wrong byte ends that connection and nothing else.
///
/// Threading: on the device's [io.tensorferry.verbs.device.software.loop.DeviceEventLoop], unless a method says
/// otherwise.
///
/// For [io.tensorferry.verbs.device.software.SoftwareProvider], which opens devices.
package io.tensorferry.verbs.device.software.connect;
