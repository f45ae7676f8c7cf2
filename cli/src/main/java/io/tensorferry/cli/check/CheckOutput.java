package io.tensorferry.cli.check;

import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Is told how a check goes, step by step; a step that failed is the last.
///
/// Threading: one thread.
interface CheckOutput {
    /// @param own this end's address on the way there
    /// @param tookNs until the other end had taken a TCP connection
    void connected(WorkerAddress target, InetAddress own, long tookNs);

    /// @param tookNs the set-up of the channel
    void channel(ChannelDescription channel, long tookNs);

    /// @param way how this end's requests reach the other end, as `TCP`; empty where the device knows one way only
    /// @param gpu where this end has its tensors, as [Answer#gpu()] tells of the other; null for host memory
    void answer(Answer answer, String way, @Nullable String gpu);

    /// The tensors from the other end, as this end timed them.
    void received(List<Timing> timings);

    /// The tensors to the other end, as that end timed them.
    void sent(List<Timing> timings);

    /// How the tensors of the ends that have them on a GPU went, at the end; null of an end that has none there.
    void gpus(@Nullable GpuPaths own, @Nullable GpuPaths other);

    /// The check ended with a failure, which is also told on standard error.
    void failed(String why);

    /// There is nothing more to come.
    void end();
}
