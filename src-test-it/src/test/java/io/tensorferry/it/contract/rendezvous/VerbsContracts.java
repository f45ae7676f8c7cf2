package io.tensorferry.it.contract.rendezvous;

import org.junit.jupiter.api.Nested;

/// What a protocol has to pass that writes into the memory of peers.
abstract class VerbsContracts extends RendezvousContracts {
    private final Protocol protocol;

    VerbsContracts(Protocol protocol) {
        super(protocol);
        this.protocol = protocol;
    }

    @Nested
    class Edge extends EdgeContract {
        Edge() {
            super(protocol);
        }
    }

    @Nested
    class UnknownShapes extends DynamicEdgeContract {
        UnknownShapes() {
            super(protocol);
        }
    }

    @Nested
    class Partition extends PartitionContract {
        Partition() {
            super(protocol);
        }
    }
}
