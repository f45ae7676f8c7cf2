/// The complete transport under a virtual clock: workers without threads on the nodes of a
/// [io.tensorferry.testing.fabric.SimulatedFabric], for simulations and measurements.
package io.tensorferry.testing.simulation;
