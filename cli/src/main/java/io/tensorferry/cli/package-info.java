/// The command `tensorferry`: its subcommands, how it starts, and how it fails.
///
/// `devices` and `check` are the subcommands, `console` is what they have in common. They use what every application
/// may use: the server of `io.tensorferry.grpc`, the tensors of `io.tensorferry.api`, and the descriptions of devices
/// and channels.
package io.tensorferry.cli;
