package io.tensorferry.cli.check;

import org.jspecify.annotations.Nullable;

/// What the server says to a plan.
///
/// @param version the server's TensorFerry
/// @param device the server's device, as `mlx5_0`
/// @param port the server's port of it
/// @param way how the server's requests reach the caller, as `TCP`; empty where its device knows one way only
/// @param gpu where the server has its tensors, as `GPU:0 (NVIDIA H200, 0000:1b:00.0)`; null for host memory
/// @param refusal why it does not take part, or null where it does
record Answer(
        String version,
        String device,
        int port,
        String way,
        @Nullable String gpu,
        @Nullable String refusal) {}
