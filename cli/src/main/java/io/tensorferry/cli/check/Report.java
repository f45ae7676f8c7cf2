package io.tensorferry.cli.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// The server's result of receiving the caller's tensors.
///
/// @param timings one for each size, in the order of the plan
/// @param gpu the paths of the server's tensors between its GPU and the network; null if they are in host memory, or if
///     some did not arrive
/// @param failure the failure in receiving; null if there was none
record Report(
        List<Timing> timings,
        @Nullable GpuPaths gpu,
        @Nullable String failure) {}
