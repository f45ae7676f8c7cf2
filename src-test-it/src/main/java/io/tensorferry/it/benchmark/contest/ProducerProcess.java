package io.tensorferry.it.benchmark.contest;

import io.tensorferry.it.benchmark.exchange.TensorProducer;
import io.tensorferry.it.process.Launcher;
import java.util.List;

/// The producer process of one path. It executes commands of its launcher: a command is one line, for example `serve
/// 4096`, and its answer is one line.
public final class ProducerProcess {
    static final String READY = "READY";
    static final String DONE = "DONE ";
    static final String SERVE = "serve ";
    static final String REST = "rest";
    static final String STOP = "stop";

    /// The command answered with [Usage#cpuNs].
    static final String CPU = "cpu";

    /// The command answered with [Usage#toLine].
    static final String USAGE = "usage";

    private ProducerProcess() {}

    /// @param arguments the path's name and its ports
    public static void main(String[] arguments) throws Exception {
        Launcher launcher = Launcher.connect();
        List<Integer> ports = List.of(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        Entrant entrant = Entrant.of(arguments[0]);
        try (TensorProducer producer = entrant.contender().produce(entrant.knobs(), ports)) {
            launcher.tell(READY);
            for (String command = launcher.awaitCommand(); !command.equals(STOP); command = launcher.awaitCommand()) {
                String answer = "";
                if (command.startsWith(SERVE)) {
                    producer.serve(Long.parseLong(command.substring(SERVE.length())));
                } else if (command.equals(USAGE)) {
                    answer = Usage.now().toLine();
                } else if (command.equals(CPU)) {
                    answer = Long.toString(Usage.cpuNs());
                } else {
                    producer.rest();
                }
                launcher.tell(DONE + answer);
            }
        }
        System.exit(0);
    }
}
