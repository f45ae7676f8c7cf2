package io.tensorferry.it.benchmark.verbs;

import io.tensorferry.it.benchmark.exchange.Content;
import io.tensorferry.it.device.VerbsDevices;
import io.tensorferry.it.process.Launcher;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.choice.ChosenPort;

/// One of two processes that use only the device interfaces. It executes commands of its launcher: a command is one
/// line, for example `THROUGHPUT WRITE 4096 1000 1 1`, and its answer is one line.
final class RawProcess {
    static final String ADDRESS = "ADDRESS ";
    static final String CONNECTED = "CONNECTED";
    static final String WAITING = "WAITING";
    static final String DONE = "DONE ";
    static final String STOP = "stop";

    private RawProcess() {}

    /// The commands of the launcher.
    enum Task {
        THROUGHPUT,
        READ_LATENCY,
        PING,
        PONG,
        /// Takes the immediates of a throughput measurement.
        TAKE,
        /// Fills the send memory with a known content.
        FILL,
        /// Clears the receive memory.
        CLEAR,
        /// Compares the receive memory with the known content.
        CHECK
    }

    /// @param arguments the size of the longest message and the number of queue pairs
    public static void main(String[] arguments) throws InterruptedException {
        Launcher launcher = Launcher.connect();
        RdmaConfig config = RdmaConfig.fromEnvironment();
        ChosenPort port = VerbsDevices.open(config);
        try (var endpoint =
                new RawEndpoint(port, config, Long.parseLong(arguments[0]), Integer.parseInt(arguments[1]))) {
            launcher.tell(ADDRESS + endpoint.address().toLine());
            RawAddress peer = RawAddress.parse(launcher.awaitCommand());
            endpoint.connect(peer.queuePairs());
            launcher.tell(CONNECTED);
            serve(launcher, endpoint, new RawTransfers(endpoint, peer));
        }
        System.exit(0);
    }

    private static void serve(Launcher launcher, RawEndpoint endpoint, RawTransfers transfers)
            throws InterruptedException {
        for (String command = launcher.awaitCommand(); !command.equals(STOP); command = launcher.awaitCommand()) {
            String[] words = command.split(" ", -1);
            Operation operation = Operation.valueOf(words[1]);
            long bytes = Long.parseLong(words[2]);
            int count = Integer.parseInt(words[3]);
            var queues = new Queues(Integer.parseInt(words[4]), Integer.parseInt(words[5]));
            switch (Task.valueOf(words[0])) {
                case THROUGHPUT ->
                    launcher.tell(DONE
                            + transfers
                                    .throughput(operation, bytes, count, queues)
                                    .toLine());
                case READ_LATENCY ->
                    launcher.tell(DONE + transfers.readLatency(bytes, count).toLine());
                case PING -> {
                    transfers.resetMark(bytes);
                    launcher.tell(DONE + transfers.ping(operation, bytes, count).toLine());
                }
                case PONG -> {
                    transfers.resetMark(bytes);
                    launcher.tell(WAITING);
                    transfers.pong(operation, bytes, count);
                    launcher.tell(DONE);
                }
                case TAKE -> {
                    transfers.resetMark(bytes);
                    launcher.tell(WAITING);
                    transfers.takeImmediates(bytes, count, queues);
                    launcher.tell(DONE);
                }
                case FILL -> {
                    Content.fill(endpoint.sent(bytes));
                    launcher.tell(DONE);
                }
                case CLEAR -> {
                    endpoint.received(bytes).fill((byte) 0);
                    launcher.tell(DONE);
                }
                case CHECK -> {
                    Content.check(endpoint.received(bytes), bytes);
                    launcher.tell(DONE);
                }
            }
        }
    }
}
