package io.tensorferry.it.process;

import io.tensorferry.grpc.ClusterSpec;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.verbs.rendezvous.RendezvousStatistics;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/// One worker of a cluster, as a process that does what the test says: each command is a line of standard input,
/// each answer one of standard output.
final class NodeProcess {
    private static final long MEMORY_LIMIT_NS = 10_000_000_000L;

    private final TransportServer server;
    private final Launcher launcher;
    private final int self;

    private NodeProcess(TransportServer server, Launcher launcher, int self) {
        this.server = server;
        this.launcher = launcher;
        this.self = self;
    }

    /// @param arguments the protocol, this node's number, and the address of every node
    public static void main(String[] arguments) throws InterruptedException {
        Launcher launcher = Launcher.connect();
        int self = Integer.parseInt(arguments[1]);
        List<String> addresses = Arrays.stream(arguments).skip(2).toList();
        try (var server = TransportServer.builder()
                .cluster(ClusterSpec.of(Map.of("node", addresses)))
                .job("node")
                .task(self)
                .protocol(arguments[0])
                .start()) {
            launcher.tell("READY " + server.transportDevice());
            new NodeProcess(server, launcher, self).obey();
        }
        launcher.tell("STOPPED");
        System.exit(0);
    }

    private void obey() throws InterruptedException {
        Exchange exchange = null;
        while (true) {
            String command = launcher.awaitCommand();
            String[] words = command.split(" ", 2);
            switch (words[0]) {
                case "exchange" -> {
                    exchange = new Exchange(server, self, TrafficPlan.parse(words[1]));
                    exchange.run();
                    launcher.tell("EXCHANGED " + exchange);
                }
                case "close" -> launcher.tell("CLOSED dropped=" + exchange.close() + " after: " + exchange);
                case "memory" -> launcher.tell("MEMORY " + bytesInUse(Long.parseLong(words[1])));
                case "offer" -> Hold.offer(server, self, Integer.parseInt(words[1]));
                case "hold" -> new Hold(server, launcher, self, Integer.parseInt(words[1])).start();
                case "end-hold" -> launcher.tell("ENDED dropped=" + server.closeStep(Hold.STEP));
                case "stop" -> {
                    return;
                }
                default -> throw new IllegalArgumentException("unknown command '" + command + "'");
            }
        }
    }

    /// Bytes of registered memory in use, once they are down to `expected`, or after a limit. A transfer may end on
    /// this side a moment before its memory is back.
    private long bytesInUse(long expected) throws InterruptedException {
        long deadlineNs = System.nanoTime() + MEMORY_LIMIT_NS;
        while (true) {
            RendezvousStatistics verbs = server.statistics().verbs();
            long bytes = verbs == null ? 0 : verbs.memory().bytesInUse();
            if (bytes <= expected || System.nanoTime() > deadlineNs) {
                return bytes;
            }
            Thread.sleep(5);
        }
    }
}
