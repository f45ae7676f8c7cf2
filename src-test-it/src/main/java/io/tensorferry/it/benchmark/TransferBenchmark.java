package io.tensorferry.it.benchmark;

import io.tensorferry.it.process.ChildFailedException;
import io.tensorferry.it.process.ChildJvm;
import io.tensorferry.it.process.FreePorts;
import io.tensorferry.it.progress.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Measures throughput and latency of receiving tensors from another process on this machine, over several paths in
/// alternation: in each round every path has its turn, and every other round goes through them backwards, so that
/// whatever else the machine does falls on all of them.
@Command(
        name = "benchmark",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "Throughput and latency of recvAsync between two processes, path against path.")
public final class TransferBenchmark implements Callable<Integer> {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    @Option(names = "--sizes", split = ",", paramLabel = "SIZE", description = "bytes of a tensor, as 4KiB")
    private List<ByteSize> sizes = List.of(ByteSize.parse("4KiB"), ByteSize.parse("1MiB"), ByteSize.parse("64MiB"));

    @Option(
            names = "--paths",
            split = ",",
            paramLabel = "PATH",
            description = "the first is compared with each other one")
    private List<String> paths = TransferPaths.USUAL;

    @Option(names = "--rounds", paramLabel = "N", description = "rounds for each size")
    private int rounds = 5;

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "length of one measurement; each round has two for each path")
    private double seconds = 1;

    @Option(names = "--json", paramLabel = "FILE", description = "also writes every round's numbers there")
    private @Nullable Path json;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new TransferBenchmark())
                .registerConverter(ByteSize.class, ByteSize::parse)
                .execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        var opened = new ArrayList<TransferPath>();
        List<List<Integer>> ports =
                paths.stream().map(_ -> FreePorts.pick(TransferPaths.PORTS)).toList();
        try (ChildJvm producer = startProducer(ports)) {
            producer.awaitLine(ProducerProcess.READY, START_LIMIT);
            try {
                for (int i = 0; i < paths.size(); i++) {
                    opened.add(TransferPaths.open(paths.get(i), ports.get(i)));
                }
                report(measure(opened));
            } finally {
                opened.forEach(TransferPath::close);
            }
            producer.send(ProducerProcess.STOP);
            producer.awaitSuccess(STOP_LIMIT);
            return 0;
        } catch (ChildFailedException e) {
            System.err.println(e.getMessage());
            return 1;
        }
    }

    private ChildJvm startProducer(List<List<Integer>> ports) {
        var arguments = new ArrayList<String>();
        for (int i = 0; i < paths.size(); i++) {
            arguments.add(paths.get(i) + ":" + ports.get(i).get(0) + ":"
                    + ports.get(i).get(1));
        }
        return ChildJvm.of(ProducerProcess.class)
                .arguments(arguments.toArray(String[]::new))
                .start();
    }

    private List<Turn> measure(List<TransferPath> opened) throws InterruptedException {
        var turns = new ArrayList<Turn>();
        try (var progress =
                new Progress("measuring", "", (long) sizes.size() * rounds * opened.size() * Turn.MEASUREMENTS)) {
            for (ByteSize size : sizes) {
                Turn turn = Turn.firstAgainstOthers(
                        opened.stream().map(path -> new PathSeries(path, size)).toList());
                for (PathSeries series : turn.series()) {
                    series.warmUp(seconds);
                }
                for (int round = 0; round < rounds; round++) {
                    turn.round(round % 2 == 1, () -> progress.step(size::toString));
                }
                turns.add(turn);
            }
        }
        return turns;
    }

    private void report(List<Turn> turns) throws IOException {
        String setting = String.format(
                Locale.ROOT, "recvAsync between two processes on this machine; %d rounds of %.1f s", rounds, seconds);
        System.out.println(BenchmarkTable.of(setting, turns));
        if (json != null) {
            BenchmarkJson.write(json, rounds, seconds, Map.of(), turns);
            System.out.println("every round's numbers: " + json);
        }
    }
}
