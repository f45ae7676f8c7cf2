/// What a reliable-connected queue pair does, in user space, whatever carries its requests: the states, the two
/// queues, the checks on both sides, completions, flush and events, after the verbs man pages and the InfiniBand
/// specification.
///
/// Read it in this order: [SoftwareDevice] and the objects made on it; [SoftwareQueuePair], which is what an
/// application sees; [Requester], which executes a send queue; [Responder], which answers a peer's requests. A
/// [Carrier] takes requests from the one to the other: between processes (`connect`), or in a simulation.
///
/// Threading: each device has one [DeviceLoop] (its hardware, so to say). The requester, the responder, the
/// settings and the link of a queue pair belong to it. Applications touch only the queues (they post, the loop
/// takes) and the completion queues (the loop adds, they poll).
///
/// For the packages beside it; applications use [io.tensorferry.verbs.device].
package io.tensorferry.verbs.device.software.core;
