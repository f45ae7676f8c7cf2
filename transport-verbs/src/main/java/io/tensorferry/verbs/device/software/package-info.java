/// A verbs device in user space, for machines that have none: `soft0`, opened through [SoftwareProvider].
///
/// It behaves as the man pages and the InfiniBand specification say, and passes the same contract suite as real
/// devices. What it cannot honour (service level, traffic class, packet MTU) is accepted and has no effect.
///
/// The rooms: `core` is what a queue pair does, `tcp` carries requests between processes, `simulated` carries them
/// in one process under a virtual clock.
package io.tensorferry.verbs.device.software;
