package io.tensorferry.it.contract.rendezvous;

import org.junit.jupiter.api.Nested;

/// The rendezvous contract of a protocol whose workers have accelerators.
abstract class AcceleratorContracts extends RendezvousContracts {
    private final Protocol protocol;

    AcceleratorContracts(Protocol protocol) {
        super(protocol);
        this.protocol = protocol;
    }

    @Nested
    class LocalMove extends LocalMoveContract {
        LocalMove() {
            super(protocol);
        }
    }
}
