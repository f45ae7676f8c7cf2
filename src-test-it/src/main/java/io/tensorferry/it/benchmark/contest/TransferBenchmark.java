package io.tensorferry.it.benchmark.contest;

import io.tensorferry.it.benchmark.BenchmarkReport;
import io.tensorferry.it.benchmark.ByteSize;
import io.tensorferry.it.benchmark.OptionValue;
import io.tensorferry.it.benchmark.Pace;
import io.tensorferry.it.benchmark.PathSeries;
import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.benchmark.Turn;
import io.tensorferry.it.benchmark.gpu.TensorDevice;
import io.tensorferry.it.process.ChildFailedException;
import io.tensorferry.it.progress.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Measures throughput and latency of receiving tensors from another process on this machine, over several paths in
/// alternation. Every round measures each path, and every other round reverses the order, so that other load on the
/// machine affects all paths equally.
@Command(
        name = "benchmark",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "Throughput and latency of receives from another process on this machine, path by path.")
public final class TransferBenchmark implements Callable<Integer> {
    @Option(names = "--sizes", split = ",", paramLabel = "SIZE", description = "bytes of a tensor, as 4KiB")
    private List<ByteSize> sizes = Stream.of("4KiB", "64KiB", "1MiB", "16MiB", "256MiB")
            .map(ByteSize::parse)
            .toList();

    @Option(
            names = "--paths",
            split = ",",
            paramLabel = "PATH",
            description =
                    "the first is compared with each other one; grpc+verbs@chunk=4MiB:underway=16MiB turns knobs of the "
                            + "transport")
    private List<Entrant> paths = Arrays.stream(Contender.values())
            .filter(each -> !each.isNamedOnly())
            .map(each -> Entrant.of(each.path()))
            .toList();

    @Option(names = "--rounds", paramLabel = "N", description = "rounds for each size")
    private int rounds = 5;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "length of one measurement; each round has two or three for each path")
    private double seconds = 1;

    @Option(
            names = "--paced-rate",
            paramLabel = "N",
            description = "largest rate, in tensors per second, of the latency at a fixed rate; 0 skips it")
    private double pacedRate = 2000;

    @Option(
            names = "--paced-bytes",
            paramLabel = "SIZE",
            description = "largest rate, in bytes per second, of the latency at a fixed rate")
    private ByteSize pacedBytes = ByteSize.parse("200MiB");

    @Mixin
    private BenchmarkReport report = new BenchmarkReport();

    private final Map<String, String> missing = new LinkedHashMap<>();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new TransferBenchmark())
                .registerConverter(ByteSize.class, OptionValue.by(ByteSize::parse))
                .registerConverter(Entrant.class, OptionValue.by(Entrant::of))
                .execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        var opened = new ArrayList<TransferPath>();
        try {
            for (Entrant entrant : paths) {
                open(entrant, opened);
            }
            if (opened.isEmpty()) {
                return 1;
            }
            report(measure(opened));
            return 0;
        } catch (ChildFailedException e) {
            System.err.println(e.getMessage());
            return 1;
        } finally {
            opened.forEach(TransferPath::close);
        }
    }

    /// Opens a path. A path that cannot run here is reported; the others are measured without it.
    private void open(Entrant entrant, List<TransferPath> opened) throws InterruptedException {
        String reason = entrant.contender().missing();
        if (reason == null) {
            opened.add(TwoProcessPath.start(entrant));
        } else {
            missing.put(entrant.name(), "not measured: " + reason);
        }
    }

    private List<Turn> measure(List<TransferPath> opened) throws InterruptedException {
        var turns = new ArrayList<Turn>();
        var pace = new Pace(pacedRate, pacedBytes.bytes());
        long steps = sizes.stream()
                .mapToLong(size -> (long) rounds * opened.size() * pace.measurements(size.bytes()))
                .sum();
        try (var progress = new Progress("measuring", "", steps)) {
            for (ByteSize size : sizes) {
                Turn turn = Turn.firstAgainstOthers(
                        opened.stream()
                                .map(path -> new PathSeries(path, size, pace.perSecond(size.bytes())))
                                .toList(),
                        TransferTargets.compared(paths));
                for (PathSeries series : turn.series()) {
                    series.path().verify(size.bytes());
                    series.warmUp(seconds);
                }
                for (int round = 0; round < rounds; round++) {
                    turn.round(round % 2 == 1, seconds, () -> progress.step(size::toString));
                }
                for (PathSeries series : turn.series()) {
                    series.path().verify(size.bytes());
                }
                turns.add(turn);
            }
        }
        return turns;
    }

    private void report(List<Turn> turns) throws IOException {
        var setting = new LinkedHashMap<String, String>();
        setting.put("what", "a tensor asked for and received between two processes of this machine");
        if (paths.stream().anyMatch(entrant -> entrant.contender().hasAccelerators())) {
            setting.put("accelerator", TensorDevice.describe());
        }
        setting.putAll(missing);
        report.write(rounds, seconds, setting, turns, TransferTargets.verdicts(turns));
    }
}
