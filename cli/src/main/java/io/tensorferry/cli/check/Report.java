package io.tensorferry.cli.check;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// How the server received the caller's tensors.
///
/// @param timings of each size, in the order of the plan
/// @param failure what was wrong with what it received, or null
record Report(List<Timing> timings, @Nullable String failure) {}
