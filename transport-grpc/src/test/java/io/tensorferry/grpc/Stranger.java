package io.tensorferry.grpc;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.netty.shaded.io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.X509Bundle;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.grpc.setup.ConnectionParametersMapping;
import io.tensorferry.grpc.setup.Offers;
import io.tensorferry.proto.ConfirmReadyRequest;
import io.tensorferry.proto.GetRemoteAddressRequest;
import io.tensorferry.proto.PingRequest;
import io.tensorferry.proto.RecvTensorRequest;
import io.tensorferry.proto.TensorServiceGrpc;
import io.tensorferry.proto.VerbsServiceGrpc;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// A client that calls a worker with the certificate that a test gives it, or none, and trusts every server.
final class Stranger implements AutoCloseable {
    private static final int LIMIT_SECONDS = 20;

    private final ManagedChannel channel;

    private Stranger(ManagedChannel channel) {
        this.channel = channel;
    }

    static Stranger with(@Nullable X509Bundle certificate, String target) throws SSLException {
        return over(contextOf(certificate), target);
    }

    /// A context resumes the sessions of earlier connections that used it.
    static SslContext contextOf(@Nullable X509Bundle certificate) throws SSLException {
        SslContextBuilder builder = SslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE);
        if (certificate != null) {
            builder.keyManager(certificate.getKeyPair().getPrivate(), certificate.getCertificatePath());
        }
        return GrpcSslContexts.configure(builder, SslProvider.JDK).build();
    }

    static Stranger over(SslContext context, String target) {
        return new Stranger(NettyChannelBuilder.forTarget("dns:///" + target)
                .sslContext(context)
                .disableRetry()
                .build());
    }

    static Stranger inPlaintext(String target) {
        return new Stranger(NettyChannelBuilder.forTarget("dns:///" + target)
                .usePlaintext()
                .disableRetry()
                .build());
    }

    Status ping(String as) {
        return statusOf(() -> TensorServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
                .ping(PingRequest.newBuilder().setHostName(as).build()));
    }

    Status receive(String as, RendezvousKey key) {
        var request = RecvTensorRequest.newBuilder()
                .setStepId(77)
                .setRendezvousKey(key.toString())
                .setHostName(as)
                .setIncarnation(1)
                .build();
        return statusOf(() -> TensorServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
                .recvTensor(request)
                .next());
    }

    Status offer(String as) {
        var request = GetRemoteAddressRequest.newBuilder()
                .setOffer(ConnectionParametersMapping.toProto(Offers.sound(as)))
                .build();
        return statusOf(() -> VerbsServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
                .getRemoteAddress(request));
    }

    Status ready(String as) {
        var request = ConfirmReadyRequest.newBuilder()
                .setHostName(as)
                .setIncarnation(1)
                .setConnectionId(1)
                .build();
        return statusOf(() -> VerbsServiceGrpc.newBlockingStub(channel)
                .withDeadlineAfter(LIMIT_SECONDS, TimeUnit.SECONDS)
                .confirmReady(request));
    }

    private static Status statusOf(Runnable call) {
        try {
            call.run();
            return Status.OK;
        } catch (StatusRuntimeException e) {
            return e.getStatus();
        }
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
