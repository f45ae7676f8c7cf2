package io.tensorferry.it.benchmark.rendezvous;

/// The ways of setting up this library that are measured beside each other.
public enum Variant {
    /// `grpc+verbs` as it comes.
    VERBS("grpc+verbs"),

    /// `grpc+verbs` with a memory window for each request.
    WINDOWS("grpc+verbs@request"),

    /// `grpc+verbs` with loops that never sleep, and callbacks on them: for a processor that has nothing else to do.
    BUSY("grpc+verbs@busy"),

    /// `grpc+verbs` on the software device, over TCP also where shared memory would do.
    TCP("grpc+verbs@tcp"),

    /// `grpc+verbs` between tensors on accelerators, by the defaults of those.
    GPU("grpc+verbs@gpu"),

    /// The protocol without RDMA.
    GRPC("grpc");

    private final String path;

    Variant(String path) {
        this.path = path;
    }

    /// As it is called on the command line.
    public String path() {
        return path;
    }
}
