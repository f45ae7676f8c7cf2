package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.it.soak.NativeMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The processes of one test, by the number of the node; all are gone when it is closed. For one thread.
final class NodeCluster implements AutoCloseable {
    static final Duration LIMIT = Duration.ofSeconds(100);

    private final String protocol;
    private final List<String> addresses = new ArrayList<>();
    private final Map<Integer, ChildJvm> nodes = new TreeMap<>();

    NodeCluster(String protocol, int size) {
        this.protocol = protocol;
        List<Integer> ports = FreePorts.pick(size);
        for (int node = 0; node < size; node++) {
            addresses.add(Place.of(node).host() + ":" + ports.get(node));
        }
    }

    /// Starts all, in the order of their numbers.
    static NodeCluster started(String protocol, int size) throws InterruptedException {
        var cluster = new NodeCluster(protocol, size);
        try {
            for (int node = 0; node < size; node++) {
                cluster.launch(node);
            }
            for (int node = 0; node < size; node++) {
                cluster.awaitReady(node);
            }
            return cluster;
        } catch (RuntimeException | InterruptedException e) {
            cluster.close();
            throw e;
        }
    }

    /// Starts all, with every one of them receiving from every other without a pause, and returns when each has
    /// received something from each.
    static NodeCluster underLoad(int size) throws InterruptedException {
        NodeCluster cluster = started(ServerConfig.GRPC_VERBS, size);
        try {
            cluster.nodes.values().forEach(node -> node.send("load 1"));
            for (int node = 0; node < size; node++) {
                for (int peer = 0; peer < size; peer++) {
                    if (peer != node) {
                        cluster.node(node).awaitLine("AGAIN " + peer, LIMIT);
                    }
                }
            }
            return cluster;
        } catch (RuntimeException | InterruptedException e) {
            cluster.close();
            throw e;
        }
    }

    /// Starts one, and returns when its server listens.
    void start(int node) throws InterruptedException {
        launch(node);
        awaitReady(node);
    }

    /// Waits until its server listens, on the device that it is to use.
    private void awaitReady(int node) throws InterruptedException {
        String device = Place.of(node).device();
        String ready = node(node).awaitLine("READY", LIMIT);
        if (device != null && protocol.equals(ServerConfig.GRPC_VERBS)) {
            assertThat(ready).as("the device of node %d", node).contains(device);
        }
    }

    private void launch(int node) {
        var arguments = new ArrayList<>(List.of(protocol, Integer.toString(node)));
        arguments.addAll(addresses);
        ChildJvm child = ChildJvm.of(NodeProcess.class)
                .name("node " + node)
                .place(Place.of(node))
                .jvmArguments("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", NativeMemory.ARGUMENT)
                .arguments(arguments.toArray(String[]::new))
                .start();
        nodes.put(node, child);
    }

    ChildJvm node(int node) {
        return nodes.get(node);
    }

    /// Asks several nodes the same, and returns the rest of the line that each answers with.
    List<String> ask(List<Integer> asked, String command, String answer) throws InterruptedException {
        asked.forEach(node -> node(node).send(command));
        return answers(asked, answer);
    }

    /// Returns when each of these nodes, which are all that have a load, has got an answer of every size from every
    /// other node, to a question that it asked after this call.
    void awaitRound(List<Integer> loaded) throws InterruptedException {
        ask(loaded, "round", "ROUND");
    }

    /// Returns when each of these nodes has got no answer from its peer for `duration`.
    ///
    /// @param peers the peer of each node
    void awaitStandstill(Map<Integer, Integer> peers, Duration duration) throws InterruptedException {
        peers.forEach((node, peer) -> node(node).send("standstill " + peer + " " + duration.toMillis()));
        answers(List.copyOf(peers.keySet()), "STANDSTILL");
    }

    /// Ends the load of these nodes, which are all that have one, and returns their books.
    List<String> unload(List<Integer> loaded) throws InterruptedException {
        ask(loaded, "quiet", "QUIET");
        return ask(loaded, "unload", "UNLOADED");
    }

    List<String> answers(List<Integer> asked, String answer) throws InterruptedException {
        var lines = new ArrayList<String>();
        for (int node : asked) {
            lines.add(node(node)
                    .awaitLine(answer, LIMIT)
                    .substring(answer.length())
                    .strip());
        }
        return lines;
    }

    /// Ends these nodes as a user would; each must end with status 0.
    void stop(List<Integer> stopped) throws InterruptedException {
        ask(stopped, "stop", "STOPPED");
        for (int node : stopped) {
            node(node).awaitSuccess(LIMIT);
        }
    }

    @Override
    public void close() {
        nodes.values().forEach(ChildJvm::close);
    }
}
