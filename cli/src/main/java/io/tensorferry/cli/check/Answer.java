package io.tensorferry.cli.check;

import org.jspecify.annotations.Nullable;

/// The server's answer to a plan.
///
/// @param version the server's TensorFerry version
/// @param device the server's device, for example `mlx5_0`
/// @param port the port of that device
/// @param way the carrier of the server's requests to the caller, for example `TCP`; empty if its device has only one
/// @param gpu the GPU that holds the server's tensors, for example `GPU:0 (NVIDIA H200, 0000:1b:00.0)`; null for host
///     memory
/// @param refusal the reason why the server refuses the check; null if it accepts
record Answer(
        String version,
        String device,
        int port,
        String way,
        @Nullable String gpu,
        @Nullable String refusal) {}
