package io.tensorferry.it.benchmark;

import io.tensorferry.grpc.ServerConfig;
import java.util.List;

/// The paths there are, by name; both processes look here.
public final class TransferPaths {
    /// `grpc+verbs` with a memory window for each request.
    static final String WINDOWS = "grpc+verbs@request";

    /// What is measured where nothing else is asked for.
    static final List<String> USUAL = List.of(ServerConfig.GRPC_VERBS, ServerConfig.GRPC);

    private static final List<String> NAMES = List.of(ServerConfig.GRPC_VERBS, WINDOWS, ServerConfig.GRPC);

    /// One port for each process.
    public static final int PORTS = 2;

    private TransferPaths() {}

    /// The consumer's end; returns when the producer's is there.
    static TransferPath open(String name, List<Integer> ports) throws InterruptedException {
        return RendezvousPath.open(known(name), ports);
    }

    /// The producer's end.
    static AutoCloseable openProducer(String name, List<Integer> ports) {
        return RendezvousProducer.start(known(name), ports);
    }

    private static String known(String name) {
        if (!NAMES.contains(name)) {
            throw new IllegalArgumentException("path '" + name + "' is unknown; the paths are " + NAMES);
        }
        return name;
    }
}
