/// A data-parallel training on TensorFerry, small enough to be read in one go: one parameter server and two workers
/// learn to read handwritten digits.
///
/// Start with [io.tensorferry.samples.digits.ParameterServer] and [io.tensorferry.samples.digits.Worker]: they are
/// the two ends of the exchange. [io.tensorferry.samples.digits.TrainingTask] starts the transport in each process,
/// [io.tensorferry.samples.digits.TrainingDemo] starts the processes.
package io.tensorferry.samples.digits;
