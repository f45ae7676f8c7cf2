package io.tensorferry.it.benchmark.growth;

import io.tensorferry.it.benchmark.ByteSize;
import io.tensorferry.it.benchmark.OptionValue;
import io.tensorferry.it.benchmark.contest.RendezvousPair;
import io.tensorferry.it.process.ChildFailedException;
import io.tensorferry.it.progress.Progress;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// Measures how the cost of a receive over `grpc+verbs` grows, between two processes of this machine. Each series
/// visits its points in ascending order in one round and in descending order in the next.
@Command(
        name = "benchmark-growth",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        showDefaultValues = true,
        description = "How the cost of a receive grows with receives, tensors, peers and bytes, and the cost of rest.")
public final class GrowthBenchmark implements Callable<Integer> {
    @Option(names = "--series", split = ",", paramLabel = "NAME", description = "series to measure; by default all")
    private List<String> names = List.of();

    @Option(names = "--rounds", paramLabel = "N", description = "rounds of each series")
    private int rounds = 5;

    @Option(names = "--seconds", paramLabel = "S", description = "length of each measurement at rest or at a rate")
    private double seconds = 5;

    @Option(names = "--most-receives", paramLabel = "N", description = "largest number of outstanding receives")
    private long mostReceives = 100_000;

    @Option(names = "--most-tensors", paramLabel = "N", description = "largest number of tensors of a step")
    private long mostTensors = 10_000;

    @Option(names = "--most-edges", paramLabel = "N", description = "largest number of polling receives that wait")
    private long mostEdges = 10_000;

    @Option(names = "--most-peers", paramLabel = "N", description = "largest number of peers")
    private long mostPeers = 256;

    @Option(
            names = "--most-bytes",
            paramLabel = "SIZE",
            description = "largest tensor in bytes; both processes hold a few tensors of this size")
    private ByteSize mostBytes = ByteSize.parse("1GiB");

    @Mixin
    private GrowthReport report = new GrowthReport();

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new GrowthBenchmark())
                .registerConverter(ByteSize.class, OptionValue.by(ByteSize::parse))
                .execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        try (RendezvousPair pair = RendezvousPair.start()) {
            List<GrowthSeries> all = all(pair);
            // Maven passes an empty name if the user named none.
            List<String> wanted = names.stream().filter(name -> !name.isBlank()).toList();
            List<String> known = all.stream().map(GrowthSeries::name).toList();
            if (!known.containsAll(wanted)) {
                System.err.println("the series are " + String.join(",", known));
                return 2;
            }
            report.write(measure(all.stream()
                    .filter(series -> wanted.isEmpty() || wanted.contains(series.name()))
                    .toList()));
            return 0;
        } catch (ChildFailedException e) {
            System.err.println(e.getMessage());
            return 1;
        }
    }

    /// Series that need an idle pair come first; those that leave much memory behind come last.
    private List<GrowthSeries> all(RendezvousPair pair) {
        return List.of(
                new Rest(pair, seconds),
                new WakeUp(pair, seconds, 50),
                new WakeUp(pair, seconds, 99),
                new Outstanding(pair, mostReceives),
                new Waiting(pair, mostReceives),
                new TensorsPerStep(pair, mostTensors),
                new ReceiveMemory(pair, mostReceives, false),
                new ReceiveMemory(pair, mostReceives, true),
                new WaitingEdges(WaitingEdges.Cost.REST, mostEdges, seconds),
                new WaitingEdges(WaitingEdges.Cost.ONE_CARRIES, mostEdges, seconds),
                new WaitingEdges(WaitingEdges.Cost.HEAP, mostEdges, seconds),
                new Peers(mostPeers),
                new ChannelMemory(Math.min(mostPeers, 16), false),
                new ChannelMemory(Math.min(mostPeers, 16), true),
                new SimulatedReceives(mostPeers),
                new SimulatedChannelHeap(mostPeers),
                new Sizes(pair, mostBytes.bytes()));
    }

    private List<GrowthResult> measure(List<GrowthSeries> measured) throws InterruptedException {
        var results = new ArrayList<GrowthResult>();
        int steps = measured.stream().mapToInt(series -> series.points().size()).sum() * (rounds + 1);
        try (var progress = new Progress("measuring", "", steps)) {
            for (GrowthSeries series : measured) {
                results.add(measure(series, progress));
            }
        }
        return results;
    }

    private GrowthResult measure(GrowthSeries series, Progress progress) throws InterruptedException {
        List<GrowthResult.Cost> costs = series.points().stream()
                .map(point -> new GrowthResult.Cost(point, new ArrayList<>()))
                .toList();
        // The first round warms up.
        for (int round = 0; round <= rounds; round++) {
            for (GrowthResult.Cost cost : round % 2 == 1 ? costs.reversed() : costs) {
                double value = series.measure(cost.at());
                if (round > 0) {
                    cost.rounds().add(value);
                }
                progress.step(series::name);
            }
        }
        return new GrowthResult(series.name(), series.what(), series.cost(), costs);
    }
}
