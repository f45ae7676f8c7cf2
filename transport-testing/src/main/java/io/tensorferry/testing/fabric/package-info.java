/// Software devices of many nodes in one process, under a virtual clock: for simulations of everything above the
/// verbs.
///
/// A [SimulatedFabric] drives all of it on the thread of whoever calls it, and all that happens follows from its
/// seed. The queue pairs are those of the software device; only what carries their requests is different, and can
/// be delayed, cut off, corrupted and killed.
package io.tensorferry.testing.fabric;
