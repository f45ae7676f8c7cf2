package io.tensorferry.grpc.peer;

import io.grpc.LoadBalancerRegistry;
import io.grpc.internal.PickFirstLoadBalancerProvider;

/// Registers the gRPC providers that channels to peers require and that gRPC otherwise finds through
/// `META-INF/services`.
///
/// Several gRPC jars contain a service file of the same name. A build that packs them into one jar without merging
/// keeps only one of them, and channels then never connect. Name resolution ([PeerLookup]) and the Netty transport are
/// set explicitly, so only the load balancer is registered here.
final class GrpcProviders {
    private static final String PICK_FIRST = "pick_first";

    private GrpcProviders() {}

    /// Registers missing providers. Call it before the first channel is created. Threading: any thread.
    static void register() {
        LoadBalancerRegistry registry = LoadBalancerRegistry.getDefaultRegistry();
        if (registry.getProvider(PICK_FIRST) == null) {
            registry.register(new PickFirstLoadBalancerProvider());
        }
    }
}
