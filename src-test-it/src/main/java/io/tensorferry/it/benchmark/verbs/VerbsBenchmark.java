package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.BenchmarkReport;
import io.tensorferry.it.benchmark.ByteSize;
import io.tensorferry.it.benchmark.OptionValue;
import io.tensorferry.it.benchmark.Turn;
import io.tensorferry.it.process.ChildFailedException;
import io.tensorferry.it.progress.Progress;
import io.tensorferry.verbs.wire.MessageCodec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Measures the verbs of this library beside perftest's C programs: on the device that the system property
/// `rdma.device` names, or otherwise in the guest on Soft-RoCE.
///
/// All paths of one size are measured in alternation, and every other round reverses the order, so that other load on
/// the machine affects all paths equally.
@Command(
        name = "benchmark-verbs",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "Bandwidth and latency of RDMA writes and reads between two processes: C, this library's verbs, "
                + "and recvAsync.")
public final class VerbsBenchmark implements Callable<Integer> {
    @Option(names = "--sizes", split = ",", paramLabel = "SIZE", description = "bytes of a message, as 4KiB")
    private List<ByteSize> sizes = List.of("8", "64", "512", "4KiB", "64KiB", "1MiB", "8MiB").stream()
            .map(ByteSize::parse)
            .toList();

    @Option(
            names = "--paths",
            split = ",",
            paramLabel = "PATH",
            description =
                    "what to measure; with @q4 on 4 queue pairs, with @l16 by lists of 16 requests, with @q4l16 both; "
                            + "recvAsync@chunk=4MiB:underway=16MiB turns knobs of the transport")
    private List<VerbsName> paths = VerbsName.PLAIN.stream().map(VerbsName::of).toList();

    @Option(names = "--rounds", paramLabel = "N", description = "rounds for each size")
    private int rounds = 9;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "length of one measurement; each round has two for each path")
    private double seconds = 0.3;

    @Option(
            names = "--request",
            paramLabel = "SIZE",
            description = "bytes of the request of a warm receive; C's write of it is part of the receive's reference")
    private ByteSize request = new ByteSize(MessageCodec.REPEATED_REQUEST_BYTES);

    @Option(
            names = "--compile-seconds",
            paramLabel = "S",
            description = "warm-up of the optimising compiler at the start; twice for each path of Java")
    private double compileSeconds = 2;

    @Mixin
    private BenchmarkReport report = new BenchmarkReport();

    @Option(names = "--guest", paramLabel = "COMMAND", description = "rdma-guest, for a machine without a device")
    private @Nullable Path guest;

    @Option(names = "--root", paramLabel = "FOLDER", description = "the folder that the guest may write to")
    private Path root = Path.of("").toAbsolutePath();

    private final List<String> arguments;

    private VerbsBenchmark(String[] arguments) {
        this.arguments = List.of(arguments);
    }

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new VerbsBenchmark(arguments))
                .registerConverter(ByteSize.class, OptionValue.by(ByteSize::parse))
                .registerConverter(VerbsName.class, OptionValue.by(VerbsName::of))
                .execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (System.getProperty("rdma.device", "").isBlank()) {
            return callInGuest();
        }
        try (var opened = VerbsPaths.open(paths, mostBytes(), request, compileSeconds)) {
            report(opened.setting(), measure(opened));
            return 0;
        } catch (ChildFailedException | IllegalStateException e) {
            System.err.println(e.getMessage());
            return 1;
        }
    }

    private int callInGuest() throws InterruptedException, IOException {
        if (guest == null) {
            System.err.println("name a device with -Drdma.device, or rdma-guest with --guest");
            return 2;
        }
        var run = new GuestRun(guest.toAbsolutePath());
        if (!run.isPossible()) {
            System.out.println("the benchmark against C is skipped: no rdma.device is named, and the guest cannot run");
            return 0;
        }
        return run.run(root, VerbsBenchmark.class, arguments);
    }

    private long mostBytes() {
        return sizes.stream().mapToLong(ByteSize::bytes).max().orElseThrow();
    }

    private List<Turn> measure(VerbsPaths opened) throws InterruptedException {
        var turns = new ArrayList<Turn>();
        try (var progress = new Progress("measuring", "", (long) opened.measurements(sizes) * rounds)) {
            for (ByteSize size : sizes) {
                Turn turn = opened.turn(size, seconds);
                for (int round = 0; round < rounds; round++) {
                    turn.round(round % 2 == 1, seconds, () -> progress.step(size::toString));
                }
                turns.add(turn);
            }
        }
        return turns;
    }

    private void report(Map<String, String> setting, List<Turn> turns) throws IOException {
        var all = new LinkedHashMap<String, String>();
        all.put("what", "RDMA between two processes of this machine");
        all.putAll(setting);
        report.write(rounds, seconds, all, turns, VerbsTargets.verdicts(turns));
    }
}
