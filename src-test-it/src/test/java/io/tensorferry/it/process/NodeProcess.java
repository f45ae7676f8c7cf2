package io.tensorferry.it.process;

import io.tensorferry.grpc.TransportServer;
import io.tensorferry.grpc.TransportServerBuilder;
import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.it.soak.Holdings;
import io.tensorferry.it.soak.NativeMemory;
import io.tensorferry.verbs.statistics.RendezvousStatistics;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// One worker of a cluster, as a process that does what the test says: each command is a line of standard input,
/// each answer one of standard output.
final class NodeProcess {
    private static final long MEMORY_LIMIT_NS = 10_000_000_000L;

    private static final Duration PEERS_LIMIT = Duration.ofSeconds(30);
    private static final Duration QUIET = Duration.ofSeconds(2);

    private final TransportServerBuilder description;
    private final Launcher launcher;
    private final int self;
    private final int size;
    private TransportServer server;

    private NodeProcess(TransportServerBuilder description, Launcher launcher, int self, int size) {
        this.description = description;
        this.launcher = launcher;
        this.self = self;
        this.size = size;
        this.server = description.start();
    }

    /// @param arguments the protocol, this node's number, and the address of every node
    public static void main(String[] arguments) throws InterruptedException {
        Launcher launcher = Launcher.connect();
        int self = Integer.parseInt(arguments[1]);
        List<String> addresses = Arrays.stream(arguments).skip(2).toList();
        var process = new NodeProcess(
                TransportServer.builder()
                        .cluster(ClusterSpec.of(Map.of("node", addresses)))
                        .job("node")
                        .task(self)
                        // The network between the nodes is the test's own.
                        .allowInsecure(true)
                        .protocol(arguments[0]),
                launcher,
                self,
                addresses.size());
        try {
            launcher.tell("READY " + process.server.transportDevice());
            process.obey();
        } finally {
            process.server.close();
        }
        launcher.tell("STOPPED");
        System.exit(0);
    }

    private void obey() throws InterruptedException {
        Exchange exchange = null;
        Load load = null;
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
                case "channels" -> launcher.tell("CHANNELS " + channels());
                case "memory" -> launcher.tell("MEMORY " + bytesInUse(Long.parseLong(words[1])));
                case "offer" -> Hold.offer(server, self, Integer.parseInt(words[1]));
                case "hold" -> new Hold(server, launcher, self, Integer.parseInt(words[1])).start();
                case "load" -> {
                    load = new Load(server, launcher, self, size, Long.parseLong(words[1]));
                    load.start();
                }
                case "round" -> {
                    load.awaitRound();
                    launcher.tell("ROUND");
                }
                case "standstill" -> {
                    String[] numbers = words[1].split(" ");
                    load.awaitStandstill(Integer.parseInt(numbers[0]), Duration.ofMillis(Long.parseLong(numbers[1])));
                    launcher.tell("STANDSTILL");
                }
                case "quiet" -> {
                    load.stop();
                    launcher.tell("QUIET");
                }
                case "unload" -> launcher.tell("UNLOADED " + load.end());
                case "end-hold" -> launcher.tell("ENDED dropped=" + server.closeStep(Hold.STEP));
                case "down" -> {
                    server.close();
                    launcher.tell("DOWN");
                }
                case "up" -> {
                    server = description.start();
                    server.awaitPeers(PEERS_LIMIT);
                    launcher.tell("UP");
                }
                case "holdings" -> launcher.tell("HOLDINGS " + Holdings.now(device()));
                case "rest" -> launcher.tell("HOLDINGS " + Holdings.atRest(device(), QUIET, PEERS_LIMIT));
                case "native" -> launcher.tell("NATIVE " + NativeMemory.committedKib());
                case "stop" -> {
                    return;
                }
                default -> throw new IllegalArgumentException("unknown command '" + command + "'");
            }
        }
    }

    private static @Nullable String device() {
        return System.getenv("RDMA_DEVICE");
    }

    /// What was agreed on with each peer: `device=rxe1 mtu=4096`, separated by commas.
    private String channels() {
        return server.channels().stream()
                .map(channel -> "device=" + channel.device() + " mtu=" + channel.mtu())
                .collect(Collectors.joining(","));
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
