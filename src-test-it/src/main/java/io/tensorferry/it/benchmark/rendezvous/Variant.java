package io.tensorferry.it.benchmark.rendezvous;

/// The configurations of this library that are measured side by side.
public enum Variant {
    /// `grpc+verbs` with its defaults.
    VERBS("grpc+verbs"),

    /// `grpc+verbs` with a memory window for each request.
    WINDOWS("grpc+verbs@request"),

    /// `grpc+verbs` with loops that never sleep and run the callbacks: for a dedicated processor.
    BUSY("grpc+verbs@busy"),

    /// `grpc+verbs` on the software device, over TCP even where shared memory is available.
    TCP("grpc+verbs@tcp"),

    /// `grpc+verbs` between tensors on accelerators, with the default accelerator options.
    GPU("grpc+verbs@gpu"),

    /// The protocol without RDMA.
    GRPC("grpc");

    private final String path;

    Variant(String path) {
        this.path = path;
    }

    /// The name on the command line.
    public String path() {
        return path;
    }
}
