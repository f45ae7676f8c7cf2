package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.process.FreePorts;
import java.util.ArrayList;
import java.util.List;

/// One operation of perftest's C programs. Each measurement starts the programs anew.
///
/// @param name the name in the table
/// @param places where both processes run
/// @param address the device, port, GID and MTU, which are those of the raw pair
/// @param queues for the throughput; latency uses one queue pair
record PerftestPath(String name, Places places, RawAddress address, Operation operation, Queues queues)
        implements TransferPath {
    private static final int HALF_ROUND_TRIP = 2;

    @Override
    public String device() {
        return address.device();
    }

    @Override
    public int window(long bytes) {
        return Posting.of(bytes, queues).depth() * queues.lanes();
    }

    @Override
    public Transfer throughput(long bytes, int count) throws InterruptedException {
        Posting posting = Posting.of(bytes, queues);
        int perLane = posting.countPerLane(count);
        List<String> output = run(
                operation.throughputProgram(),
                bytes,
                perLane,
                // Do not read the clock for each message: this library's loops do not either.
                "--noPeak",
                "--tx-depth=" + posting.depth(),
                "--cq-mod=" + posting.signalEvery(),
                "--qp=" + queues.lanes(),
                "--post_list=" + posting.queues().list());
        return PerftestReport.throughput(output, bytes, perLane * queues.lanes());
    }

    @Override
    public Transfer latency(long bytes, int count) throws InterruptedException {
        // A message's time ends where the next one's begins, so the last message has no time.
        List<String> output = run(operation.latencyProgram(), bytes, count + 1, "--report-unsorted");
        return PerftestReport.latency(output, bytes, count + 1, operation == Operation.WRITE ? HALF_ROUND_TRIP : 1);
    }

    /// Does nothing: perftest does not check the content.
    @Override
    public void verify(long bytes) {}

    private List<String> run(String program, long bytes, int count, String... options) throws InterruptedException {
        int port = FreePorts.pick(1).getFirst();
        var command = new ArrayList<String>(List.of(
                program,
                "--ib-dev=" + address.device(),
                "--ib-port=" + address.port(),
                "--mtu=" + address.mtu(),
                "--qp-timeout=" + places.timeout(),
                "--size=" + bytes,
                "--iters=" + count,
                "--port=" + port,
                "--CPU-freq"));
        if (address.routed()) {
            command.add("--gid-index=" + address.gidIndex());
        }
        command.addAll(List.of(options));
        return PerftestRun.of(places, command, port);
    }

    @Override
    public void close() {}
}
