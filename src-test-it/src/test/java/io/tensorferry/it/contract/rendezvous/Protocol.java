package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.verbs.device.RdmaConfig;
import io.tensorferry.verbs.device.RemoteKeyScope;
import io.tensorferry.verbs.device.SoftCarrier;

/// The ways in which workers carry tensors that the contract is tested with.
enum Protocol {
    GRPC("grpc", RemoteKeyScope.SLAB, SoftCarrier.AUTO),
    /// On the software device through shared memory, and in no other way.
    VERBS("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.SHARED),
    VERBS_OVER_TCP("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.TCP),
    VERBS_WITH_WINDOWS("grpc+verbs", RemoteKeyScope.REQUEST, SoftCarrier.SHARED);

    private final String server;
    private final RemoteKeyScope rkeyScope;
    private final SoftCarrier softCarrier;

    Protocol(String server, RemoteKeyScope rkeyScope, SoftCarrier softCarrier) {
        this.server = server;
        this.rkeyScope = rkeyScope;
        this.softCarrier = softCarrier;
    }

    /// The settings of a worker, out of those of its place.
    RdmaConfig applyTo(RdmaConfig config) {
        return config.withRkeyScope(rkeyScope).withSoftCarrier(softCarrier);
    }

    /// What a server calls it.
    String server() {
        return server;
    }
}
