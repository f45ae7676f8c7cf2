package io.tensorferry.it.benchmark;

import io.tensorferry.it.process.Launcher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The process that the tensors come from: the producer's end of every path.
public final class ProducerProcess {
    public static final String READY = "READY";
    public static final String STOP = "stop";

    private ProducerProcess() {}

    /// @param arguments for each path its name and its ports, as `grpc:2222:2223`
    public static void main(String[] arguments) throws Exception {
        Launcher launcher = Launcher.connect();
        var producers = new ArrayList<AutoCloseable>();
        for (String argument : arguments) {
            List<String> parts = Arrays.asList(argument.split(":"));
            List<Integer> ports = parts.subList(1, parts.size()).stream()
                    .map(Integer::valueOf)
                    .toList();
            producers.add(TransferPaths.openProducer(parts.getFirst(), ports));
        }
        launcher.tell(READY);
        launcher.awaitCommand(STOP);
        for (AutoCloseable producer : producers) {
            producer.close();
        }
        System.exit(0);
    }
}
