/// A verbs device in user space, for machines without an RDMA device: `soft0`, opened through [SoftwareProvider].
///
/// The device follows the man pages and the InfiniBand specification, and passes the same contract suite as real
/// devices. It accepts and ignores the attributes that it cannot honour: service level, traffic class and packet MTU.
///
/// The packages, bottom up: `core` implements the queue pair; `loop` is the event loop of a device that other processes
/// reach; `stream` carries requests over TCP and `shared` through shared memory; `connect` connects two queue pairs and
/// chooses between TCP and shared memory.
///
/// Callers: only the code that lists the providers. All other code uses [io.tensorferry.verbs.device].
package io.tensorferry.verbs.device.software;
