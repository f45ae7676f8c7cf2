/// The whole protocol under a seeded virtual clock: many workers in one thread, every delay and fault drawn from
/// one number.
package io.tensorferry.verbs.simulation;
