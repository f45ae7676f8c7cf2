package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.verbs.device.RemoteKeyScope;

/// The ways in which workers carry tensors that the contract is tested with.
enum Protocol {
    GRPC("grpc", RemoteKeyScope.SLAB),
    VERBS("grpc+verbs", RemoteKeyScope.SLAB),
    VERBS_WITH_WINDOWS("grpc+verbs", RemoteKeyScope.REQUEST);

    private final String server;
    private final RemoteKeyScope rkeyScope;

    Protocol(String server, RemoteKeyScope rkeyScope) {
        this.server = server;
        this.rkeyScope = rkeyScope;
    }

    /// What a server calls it.
    String server() {
        return server;
    }

    RemoteKeyScope rkeyScope() {
        return rkeyScope;
    }
}
