package io.tensorferry.grpc.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.FreePorts;
import io.tensorferry.grpc.cluster.WorkerAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The time that a caller waits for a peer over the fallback.
@Timeout(30)
class PeerChannelTest {
    private static final Duration RECONNECT = Duration.ofMillis(50);
    private static final String PEER = "/job:worker/replica:0/task:1";

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final WorkerAddress address =
            WorkerAddress.parse(FreePorts.addresses(1).getFirst(), "address");
    private final ManagedChannel grpc = NettyChannelBuilder.forAddress(address.host(), address.port())
            .usePlaintext()
            .build();

    private PeerChannel channel(Duration connect) {
        var lookup = new PeerLookup(address, InetAddress::getAllByName, timer);
        return new PeerChannel(
                PEER, address, lookup, grpc, timer, new PeerTimeouts(connect, RECONNECT, Duration.ofSeconds(5)));
    }

    private Server listen() throws Exception {
        return NettyServerBuilder.forAddress(new InetSocketAddress(address.host(), address.port()))
                .build()
                .start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        grpc.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
        timer.shutdownNow();
    }

    @Test
    void aPeerThatWasNeverReachedHasTheConnectTimeoutToStart() throws Exception {
        CompletableFuture<Void> ready = channel(Duration.ofSeconds(20)).whenReadySoon();
        Thread.sleep(RECONNECT.multipliedBy(4));
        assertThat(ready).isNotDone();

        Server server = listen();
        try {
            ready.get(20, TimeUnit.SECONDS);
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void aPeerThatHasGoneIsGivenUpAfterTheReconnectTimeout() throws Exception {
        PeerChannel channel = channel(Duration.ofSeconds(20));
        Server server = listen();
        channel.whenReady().get(20, TimeUnit.SECONDS);
        server.shutdownNow().awaitTermination();
        while (channel.whenReady().isDone()) {
            Thread.sleep(1);
        }

        assertThat(failureOf(channel.whenReadySoon())).hasMessageContaining("the worker has gone");
    }

    @Test
    void theConnectTimeoutCountsFromTheFirstAttempt() throws Exception {
        PeerChannel channel = channel(RECONNECT.multipliedBy(4));
        assertThat(failureOf(channel.whenReady())).hasMessageContaining("PT0.2S");

        assertThat(failureOf(channel.whenReadySoon())).hasMessageContaining("PT0.05S");
    }

    private static TransportException failureOf(CompletableFuture<Void> ready) throws Exception {
        try {
            ready.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return (TransportException) e.getCause();
        }
        throw new AssertionError("the peer is ready");
    }
}
