package io.tensorferry.it.benchmark.contest;

import io.tensorferry.it.benchmark.TransferPath;
import io.tensorferry.it.process.Launcher;
import java.util.List;

/// The consumer process of one path. It executes commands of its launcher: a command is one line, for example
/// `THROUGHPUT 4096 1000`, and its answer is one line.
final class ConsumerProcess {
    static final String READY = "READY ";
    static final String DONE = "DONE ";
    static final String STOP = "stop";

    private ConsumerProcess() {}

    /// The commands of the launcher.
    enum Task {
        THROUGHPUT,
        LATENCY,
        /// Takes the rate per second as an additional word.
        PACED,
        /// Ignores the count.
        VERIFY
    }

    /// @param arguments the path's name and its ports
    public static void main(String[] arguments) throws Exception {
        Launcher launcher = Launcher.connect();
        List<Integer> ports = List.of(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        Entrant entrant = Entrant.of(arguments[0]);
        try (TransferPath path = entrant.contender().open(entrant.name(), entrant.knobs(), ports)) {
            launcher.tell(READY + path.device());
            for (String command = launcher.awaitCommand(); !command.equals(STOP); command = launcher.awaitCommand()) {
                launcher.tell(DONE + serve(path, command.split(" ", -1)));
            }
        }
        System.exit(0);
    }

    private static String serve(TransferPath path, String[] words) throws InterruptedException {
        long bytes = Long.parseLong(words[1]);
        int count = Integer.parseInt(words[2]);
        return switch (Task.valueOf(words[0])) {
            case THROUGHPUT -> path.throughput(bytes, count).toLine();
            case LATENCY -> path.latency(bytes, count).toLine();
            case PACED -> path.paced(bytes, count, Double.parseDouble(words[3])).toLine();
            case VERIFY -> {
                path.verify(bytes);
                yield "";
            }
        };
    }
}
