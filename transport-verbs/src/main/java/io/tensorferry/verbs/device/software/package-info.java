/// A verbs device in user space, for machines that have none: `soft0`, opened through [SoftwareProvider].
///
/// It behaves as the man pages and the InfiniBand specification say, and passes the same contract suite as real
/// devices. What it cannot honour (service level, traffic class, packet MTU) is accepted and has no effect.
///
/// The rooms, bottom up: `core` is what a queue pair does; `loop` is the event loop of a device that other processes
/// reach; `stream` carries requests over TCP and `shared` through shared memory; `connect` brings two queue pairs
/// together and chooses between these two.
///
/// For whoever lists the providers; everybody else uses [io.tensorferry.verbs.device].
package io.tensorferry.verbs.device.software;
