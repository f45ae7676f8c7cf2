package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.grpc.ServerConfig;
import io.tensorferry.it.benchmark.RendezvousPath;
import io.tensorferry.it.benchmark.Transfer;
import io.tensorferry.it.process.Launcher;
import java.util.List;

/// The process that asks for tensors; the other one is the benchmark's usual producer. It does what its launcher
/// says: a command is one line, `THROUGHPUT 4096 1000` for example, and its answer is one line.
final class TensorProcess {
    static final String READY = "READY ";
    static final String DONE = "DONE ";
    static final String STOP = "stop";

    private TensorProcess() {}

    enum Task {
        THROUGHPUT,
        LATENCY
    }

    /// @param arguments the producer's port and this process's
    public static void main(String[] arguments) throws InterruptedException {
        Launcher launcher = Launcher.connect();
        List<Integer> ports = List.of(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
        try (var path = RendezvousPath.open(ServerConfig.GRPC_VERBS, ports)) {
            launcher.tell(READY + path.device());
            for (String command = launcher.awaitCommand(); !command.equals(STOP); command = launcher.awaitCommand()) {
                String[] words = command.split(" ", -1);
                long bytes = Long.parseLong(words[1]);
                int count = Integer.parseInt(words[2]);
                Transfer transfer = switch (Task.valueOf(words[0])) {
                    case THROUGHPUT -> path.throughput(bytes, count);
                    case LATENCY -> path.latency(bytes, count);
                };
                launcher.tell(DONE + transfer.toLine());
            }
        }
        System.exit(0);
    }
}
