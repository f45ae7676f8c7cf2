/// What every transport's rendezvous must do, once: a suite by theme, run over each protocol by a class of its own.
///
/// The suite knows no device. Over `grpc+verbs` the system property `rdma.device` chooses one; without it the
/// library chooses.
package io.tensorferry.it.contract.rendezvous;
