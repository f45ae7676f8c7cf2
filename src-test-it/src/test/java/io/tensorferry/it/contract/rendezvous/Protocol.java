package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.config.SoftCarrier;

/// The ways in which workers carry tensors that the contract is tested with.
enum Protocol {
    GRPC("grpc", RemoteKeyScope.SLAB, SoftCarrier.AUTO, 1, Residence.HOST),
    /// On the software device through shared memory, and in no other way.
    VERBS("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.SHARED, 1, Residence.HOST),
    VERBS_OVER_TCP("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.TCP, 1, Residence.HOST),
    VERBS_WITH_WINDOWS("grpc+verbs", RemoteKeyScope.REQUEST, SoftCarrier.SHARED, 1, Residence.HOST),
    VERBS_WITH_TWO_LANES("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.SHARED, 2, Residence.HOST),
    VERBS_WITH_FOUR_LANES("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.TCP, 4, Residence.HOST),
    VERBS_FROM_ACCELERATOR("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.SHARED, 1, Residence.SOURCE),
    VERBS_TO_ACCELERATOR("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.SHARED, 1, Residence.DESTINATION),
    VERBS_BETWEEN_ACCELERATORS("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.SHARED, 1, Residence.BOTH),
    VERBS_BETWEEN_ACCELERATORS_WITH_WINDOWS("grpc+verbs", RemoteKeyScope.REQUEST, SoftCarrier.TCP, 2, Residence.BOTH),
    VERBS_DIRECT(
            "grpc+verbs",
            RemoteKeyScope.SLAB,
            SoftCarrier.SHARED,
            1,
            Residence.BOTH,
            AcceleratorKind.EXPORTED_AFTER_FLUSH),
    VERBS_DIRECT_WITH_WINDOWS(
            "grpc+verbs", RemoteKeyScope.REQUEST, SoftCarrier.TCP, 2, Residence.BOTH, AcceleratorKind.EXPORTED),
    VERBS_FROM_CUDA(Residence.SOURCE),
    VERBS_TO_CUDA(Residence.DESTINATION),
    VERBS_BETWEEN_CUDA(Residence.BOTH);

    private final String server;
    private final RemoteKeyScope rkeyScope;
    private final SoftCarrier softCarrier;
    private final int lanes;
    private final Residence residence;
    private final AcceleratorKind accelerators;

    /// With the accelerators of CUDA.
    Protocol(Residence residence) {
        this("grpc+verbs", RemoteKeyScope.SLAB, SoftCarrier.SHARED, 1, residence, AcceleratorKind.CUDA);
    }

    Protocol(String server, RemoteKeyScope rkeyScope, SoftCarrier softCarrier, int lanes, Residence residence) {
        this(server, rkeyScope, softCarrier, lanes, residence, AcceleratorKind.SIMULATED);
    }

    Protocol(
            String server,
            RemoteKeyScope rkeyScope,
            SoftCarrier softCarrier,
            int lanes,
            Residence residence,
            AcceleratorKind accelerators) {
        this.server = server;
        this.rkeyScope = rkeyScope;
        this.softCarrier = softCarrier;
        this.lanes = lanes;
        this.residence = residence;
        this.accelerators = accelerators;
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

    Residence residence() {
        return residence;
    }

    /// Where tensors are that are not in host memory.
    AcceleratorKind accelerators() {
        return accelerators;
    }
}
