package io.tensorferry.cli.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// How the server received the caller's tensors.
///
/// @param timings of each size, in the order of the plan
/// @param gpu how the server's tensors went between its GPU and the network; null where it has them in host memory,
///     and where not all arrived
/// @param failure what was wrong with what it received, or null
record Report(
        List<Timing> timings,
        @Nullable GpuPaths gpu,
        @Nullable String failure) {}
