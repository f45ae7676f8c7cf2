/// The contract of `io.tensorferry.verbs.device` for every verbs device, as tests.
///
/// Each `*Contract` class is abstract; a test class of a device kind derives from it and says how a pair of devices
/// is opened ([DevicePairFixture]). Only what the man pages and the InfiniBand specification promise is demanded,
/// so that a network card passes unchanged.
package io.tensorferry.it.contract.device;
