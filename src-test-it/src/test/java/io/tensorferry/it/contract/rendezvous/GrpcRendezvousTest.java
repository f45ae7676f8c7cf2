package io.tensorferry.it.contract.rendezvous;

/// The rendezvous contract over `grpc`.
class GrpcRendezvousTest extends RendezvousContracts {
    GrpcRendezvousTest() {
        super(Protocol.GRPC);
    }
}
