/// The whole transport under a virtual clock: workers without threads on the nodes of a
/// [io.tensorferry.verbs.device.software.simulated.SimulatedFabric], for simulations and measurements.
package io.tensorferry.verbs.simulation;
