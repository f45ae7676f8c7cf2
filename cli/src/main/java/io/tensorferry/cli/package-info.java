/// The command `tensorferry`: its subcommands, start and failure handling.
///
/// `devices` and `check` contain the subcommands, `console` their common parts. They use the public interfaces: the
/// server of `io.tensorferry.grpc`, the tensors of `io.tensorferry.api`, and the descriptions of devices and channels.
package io.tensorferry.cli;
