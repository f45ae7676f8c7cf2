package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.verbs.device.RemoteKeyScope;

/// The ways in which workers carry tensors that the contract is tested with.
enum Protocol {
    GRPC("grpc", RemoteKeyScope.SLAB, 1),
    VERBS("grpc+verbs", RemoteKeyScope.SLAB, 1),
    VERBS_WITH_WINDOWS("grpc+verbs", RemoteKeyScope.REQUEST, 1),
    VERBS_WITH_TWO_LANES("grpc+verbs", RemoteKeyScope.SLAB, 2),
    VERBS_WITH_FOUR_LANES("grpc+verbs", RemoteKeyScope.SLAB, 4);

    private final String server;
    private final RemoteKeyScope rkeyScope;
    private final int lanes;

    Protocol(String server, RemoteKeyScope rkeyScope, int lanes) {
        this.server = server;
        this.rkeyScope = rkeyScope;
        this.lanes = lanes;
    }

    /// What a server calls it.
    String server() {
        return server;
    }

    RemoteKeyScope rkeyScope() {
        return rkeyScope;
    }

    int lanes() {
        return lanes;
    }
}
