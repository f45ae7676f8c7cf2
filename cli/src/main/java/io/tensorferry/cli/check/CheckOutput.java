package io.tensorferry.cli.check;

import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Receives the steps of a check as they complete. A failed step is the last.
///
/// Threading: one thread.
interface CheckOutput {
    /// @param own the local address of the route to the target
    /// @param tookNs the time until the other end accepted a TCP connection
    void connected(WorkerAddress target, InetAddress own, long tookNs);

    /// @param tookNs the duration of the channel's set-up
    void channel(ChannelDescription channel, long tookNs);

    /// @param way the carrier of this end's requests to the other end, for example `TCP`; empty if the device has only
    ///     one
    /// @param gpu the GPU that holds this end's tensors, in the form of [Answer#gpu()]; null for host memory
    void answer(Answer answer, String way, @Nullable String gpu);

    /// The tensors from the other end, timed at this end.
    void received(List<Timing> timings);

    /// The tensors to the other end, timed at that end.
    void sent(List<Timing> timings);

    /// The paths of the tensors on GPUs, at the end; null for an end without tensors on a GPU.
    void gpus(@Nullable GpuPaths own, @Nullable GpuPaths other);

    /// The check ended with a failure, which standard error also reports.
    void failed(String why);

    /// No further step follows.
    void end();
}
