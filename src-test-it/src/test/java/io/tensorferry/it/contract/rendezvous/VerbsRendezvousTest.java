package io.tensorferry.it.contract.rendezvous;

/// The rendezvous contract over `grpc+verbs`.
class VerbsRendezvousTest extends RendezvousContracts {
    VerbsRendezvousTest() {
        super("grpc+verbs");
    }
}
