package io.tensorferry.grpc.peer;

import io.grpc.LoadBalancerRegistry;
import io.grpc.internal.PickFirstLoadBalancerProvider;

/// The parts of gRPC that it finds by files in `META-INF/services`, and that a channel to a peer cannot do without.
///
/// Several of gRPC's jars have a file of the same name. A build that puts all into one jar and does not merge them
/// keeps
/// one of them, and channels then never connect. So what is missing is named here. The resolver of names is
/// [PeerLookup], and the transport is Netty's, by its class.
final class GrpcProviders {
    private static final String PICK_FIRST = "pick_first";

    private GrpcProviders() {}

    /// Before the first channel is made. Threading: any thread.
    static void register() {
        LoadBalancerRegistry registry = LoadBalancerRegistry.getDefaultRegistry();
        if (registry.getProvider(PICK_FIRST) == null) {
            registry.register(new PickFirstLoadBalancerProvider());
        }
    }
}
