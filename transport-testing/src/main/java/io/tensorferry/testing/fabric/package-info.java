/// Software devices of many nodes in one process, under a virtual clock: for simulations of all layers above the verbs.
///
/// A [SimulatedFabric] runs everything on the caller's thread, and its seed determines every event. The queue pairs are
/// those of the software device. Only the carrier of their requests differs: it can delay, partition, corrupt and kill.
package io.tensorferry.testing.fabric;
