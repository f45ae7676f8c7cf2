/// A small data-parallel training on TensorFerry: one parameter server and two workers learn to read handwritten
/// digits.
///
/// Start with [io.tensorferry.samples.digits.ParameterServer] and [io.tensorferry.samples.digits.Worker], the two ends
/// of the exchange. [io.tensorferry.samples.digits.TrainingTask] starts the transport in each process,
/// [io.tensorferry.samples.digits.TrainingDemo] starts the processes.
package io.tensorferry.samples.digits;
