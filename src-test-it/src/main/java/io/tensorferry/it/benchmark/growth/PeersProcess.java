package io.tensorferry.it.benchmark.growth;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Rendezvous;
import io.tensorferry.api.Shape;
import io.tensorferry.api.Tensor;
import io.tensorferry.grpc.TransportServer;
import io.tensorferry.it.process.Launcher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// The process of all producers, with one server per peer. On the command `serve STEP COUNT` each producer sends
/// `COUNT` tensors.
final class PeersProcess {
    static final String READY = "READY";
    static final String DONE = "DONE";
    static final String STOP = "stop";
    static final int BYTES = 4096;

    private PeersProcess() {}

    /// @param arguments the consumer's port, then one for each producer
    public static void main(String[] arguments) throws Exception {
        Launcher launcher = Launcher.connect();
        List<Integer> ports = Arrays.stream(arguments).map(Integer::valueOf).toList();
        var servers = new ArrayList<TransportServer>();
        var sources = new ArrayList<Tensor>();
        for (int task = 0; task < ports.size() - 1; task++) {
            TransportServer server = PeerCluster.server(ports, PeerCluster.PRODUCERS, task);
            servers.add(server);
            Tensor source = server.allocator().allocate(DataType.UINT8, Shape.of(BYTES));
            source.segment().fill((byte) 42);
            sources.add(source);
        }
        launcher.tell(READY);
        for (String command = launcher.awaitCommand(); !command.equals(STOP); command = launcher.awaitCommand()) {
            String[] words = command.split(" ", -1);
            long step = Long.parseLong(words[1]);
            int count = Integer.parseInt(words[2]);
            for (int task = 0; task < servers.size(); task++) {
                servers.get(task).closeStep(step - 1);
                Rendezvous rendezvous = servers.get(task).rendezvous(step);
                for (int i = 0; i < count; i++) {
                    rendezvous.send(PeerCluster.key(task), sources.get(task).share());
                }
            }
            launcher.tell(DONE);
        }
        // Halt, because an orderly shutdown would close the peers' servers in sequence.
        Runtime.getRuntime().halt(0);
    }
}
