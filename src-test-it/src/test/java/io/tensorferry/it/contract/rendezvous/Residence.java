package io.tensorferry.it.contract.rendezvous;

/// Where the tensors of a test are: in host memory, or on the accelerator of their worker.
enum Residence {
    HOST(false, false),
    SOURCE(true, false),
    DESTINATION(false, true),
    BOTH(true, true);

    private final boolean source;
    private final boolean destination;

    Residence(boolean source, boolean destination) {
        this.source = source;
        this.destination = destination;
    }

    /// Whether what is sent is on an accelerator.
    boolean ofSource() {
        return source;
    }

    /// Whether what is received goes to one.
    boolean ofDestination() {
        return destination;
    }
}
