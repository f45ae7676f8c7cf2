package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.verbs.device.RdmaConfig;
import io.tensorferry.verbs.device.RemoteKeyScope;
import io.tensorferry.verbs.device.SoftCarrier;

/// The ways in which workers carry tensors that the contract is tested with.
enum Protocol {
    GRPC("grpc", RemoteKeyScope.SLAB, SoftCarrier.AUTO, 1),
    /// On the software device through shared memory, and in no other way.
    VERBS("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.SHARED, 1),
    VERBS_OVER_TCP("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.TCP, 1),
    VERBS_WITH_WINDOWS("grpc+verbs", RemoteKeyScope.REQUEST, SoftCarrier.SHARED, 1),
    VERBS_WITH_TWO_LANES("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.SHARED, 2),
    VERBS_WITH_FOUR_LANES("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.TCP, 4);

    private final String server;
    private final RemoteKeyScope rkeyScope;
    private final SoftCarrier softCarrier;
    private final int lanes;

    Protocol(String server, RemoteKeyScope rkeyScope, SoftCarrier softCarrier, int lanes) {
        this.server = server;
        this.rkeyScope = rkeyScope;
        this.softCarrier = softCarrier;
        this.lanes = lanes;
    }

    /// The settings of a worker, out of those of its place.
    RdmaConfig applyTo(RdmaConfig config) {
        return config.withRkeyScope(rkeyScope).withSoftCarrier(softCarrier);
    }

    /// What a server calls it.
    String server() {
        return server;
    }

    int lanes() {
        return lanes;
    }
}
