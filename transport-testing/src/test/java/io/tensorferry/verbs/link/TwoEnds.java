package io.tensorferry.verbs.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.channel.ChannelHandlers;
import io.tensorferry.verbs.channel.ChannelLoss;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.RendezvousHandler;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.PostingOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.edge.EdgeManager;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.loop.LoopRunner;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.partition.PartitionManager;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Two workers on a simulated fabric, with a channel of three lanes between them and no rendezvous above it: a test
/// decides what each end writes, and observes what arrives.
public final class TwoEnds implements AutoCloseable {
    public static final int LANES = 3;
    public static final int CHUNK = 4096;
    public static final int SLOT_BYTES = 4096;
    private static final String SENDER = "/job:worker/replica:0/task:0";
    private static final String RECEIVER = "/job:worker/replica:0/task:1";

    private final SimulatedFabric fabric = new SimulatedFabric(1);
    public final End sender;
    public final End receiver;

    /// @param pieces of a content that the sender lets the receiver name at once
    public TwoEnds(RemoteKeyScope scope, int pieces) {
        this.sender = new End(SENDER, scope, pieces);
        this.receiver = new End(RECEIVER, scope, 0);
        sender.start();
        receiver.start();
        CompletableFuture<Void> connected = sender.adapter.connect(RECEIVER);
        await(() -> connected.isDone() && sender.open != null && receiver.open != null, "the channel opens");
    }

    /// The listener of contents.
    public interface OnContent {
        void onContent(int requestIndex, int lane);
    }

    /// One worker, which reports the arrivals of the other's writes.
    final class End implements RendezvousHandler, EndpointExchange, LoopRunner {
        final RdmaAdapter adapter;
        final List<Message> messages = new ArrayList<>();
        OnContent onContent = (_, _) -> {};
        private final EdgeManager edges;
        private final PartitionManager partitions;
        private @Nullable CompletionLoop loop;
        private @Nullable RdmaChannel open;

        private End(String name, RemoteKeyScope scope, int pieces) {
            Set<String> members = Set.of(SENDER, RECEIVER);
            var config = RdmaConfig.builder().queueDepth(32).rkeyScope(scope).build();
            var options = new ChannelOptions(
                            LANES,
                            16,
                            SLOT_BYTES,
                            Duration.ofMillis(100),
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(5),
                            Duration.ofSeconds(3),
                            Duration.ZERO)
                    .withStripeBytes(CHUNK)
                    .withPosting(new PostingOptions(0, CHUNK, 4 * CHUNK, 0, 0));
            this.adapter = RdmaAdapter.open(
                    new RdmaAdapterOptions(name, members, name.hashCode(), config, options, MemoryOptions.defaults())
                            .withPiecesAtOnce(pieces),
                    DeviceChoice.choose(config, List.of(fabric.provider(name))),
                    this,
                    new AdapterRuntime(fabric::now, this, Runnable::run, new Random(name.hashCode())));
            this.edges = new EdgeManager(adapter, members, new UserCode(Runnable::run));
            this.partitions = new PartitionManager(adapter, members, new UserCode(Runnable::run));
        }

        private void start() {
            adapter.start(new ChannelHandlers(this, edges.handler(), partitions.handler()));
        }

        /// One turn of its loop alone.
        int turn() {
            return loop == null ? 0 : loop.doWork();
        }

        /// Of this worker; the other's is lost with it.
        RdmaChannel channel() {
            if (open == null) {
                throw new AssertionError("the channel is lost");
            }
            return open;
        }

        boolean isConnected() {
            return open != null;
        }

        @Override
        public void start(CompletionLoop started) {
            loop = started;
        }

        @Override
        public void stop(Runnable last) {
            last.run();
            loop = null;
        }

        @Override
        public CompletableFuture<OfferAnswer> offer(String peer, ConnectionParameters offer) {
            return end(peer).adapter.acceptor().onOffer(offer);
        }

        @Override
        public CompletableFuture<Void> ready(String peer, String self, long incarnation, long connectionId) {
            return end(peer).adapter.acceptor().onReady(self, incarnation, connectionId);
        }

        private End end(String name) {
            return name.equals(SENDER) ? sender : receiver;
        }

        @Override
        public void onMessage(RdmaChannel on, Message message) {
            messages.add(message);
        }

        @Override
        public void onRepeatedRequest(RdmaChannel on, SlotReader message) {
            throw new AssertionError("nobody has asked");
        }

        @Override
        public void onCarriedContent(RdmaChannel on, SlotReader message) {
            throw new AssertionError("nothing goes through the ring");
        }

        @Override
        public void onContent(RdmaChannel on, int requestIndex, int lane) {
            onContent.onContent(requestIndex, lane);
        }

        @Override
        public void onChannelOpen(RdmaChannel opened) {
            open = opened;
        }

        @Override
        public void onMemoryStranded(RdmaChannel on) {
            throw new AssertionError("a simulated device keeps nothing");
        }

        @Override
        public void onChannelLost(RdmaChannel on, ChannelLoss loss) {
            open = null;
        }

        private void close() {
            edges.close();
            partitions.close();
            adapter.close();
        }
    }

    /// Memory of the sender with a distinguishable content.
    public RegisteredBuffer source(int bytes) {
        RegisteredBuffer source = sender.adapter.memory().allocate(bytes);
        var random = new Random(bytes);
        for (int i = 0; i < bytes; i++) {
            source.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (1 + random.nextInt(100)));
        }
        return source;
    }

    /// Empty memory of the receiver.
    public RegisteredBuffer target(int bytes) {
        RegisteredBuffer target = receiver.adapter.memory().allocate(bytes);
        target.segment().fill((byte) 0);
        return target;
    }

    public void await(BooleanSupplier done, String what) {
        for (int i = 0; !done.getAsBoolean(); i++) {
            assertThat(i).as(what).isLessThan(1_000_000);
            turn();
        }
    }

    /// Runs until only the keepalive of the channel is in progress.
    public void settle() {
        for (int i = 0; i < 1000; i++) {
            turn();
        }
    }

    /// The device executes all posted requests; no loop turns.
    public void runDevice() {
        while (fabric.runNext()) {
            // Each event may cause others.
        }
    }

    private void turn() {
        if (sender.turn() + receiver.turn() == 0 && !fabric.runNext()) {
            fabric.advance(1_000_000);
        }
    }

    @Override
    public void close() {
        sender.close();
        receiver.close();
    }
}
