/// A reliable-connected queue pair in user space, independent of the carrier of its requests: states, send and receive
/// queue, checks on both sides, completions, flush and events, after the verbs man pages and the InfiniBand
/// specification.
///
/// Reading order: [SoftwareDevice] and the objects created on it; [SoftwareQueuePair], the application's view;
/// [Requester], which executes a send queue; [Responder], which executes a peer's requests. A [Carrier] takes requests
/// from requester to responder: between processes (`connect`), or in a simulation.
///
/// Threading: each device has one [DeviceLoop], which plays the part of the hardware. It owns the requester, responder,
/// settings and link of each queue pair. Applications access only the queues (they post, the loop takes) and the
/// completion queues (the loop adds, they poll).
///
/// Callers: the neighbouring packages. Applications use [io.tensorferry.verbs.device].
package io.tensorferry.verbs.device.software.core;
