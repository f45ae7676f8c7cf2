package io.tensorferry.verbs.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.device.DeviceChoice;
import io.tensorferry.verbs.device.RdmaConfig;
import io.tensorferry.verbs.device.software.simulated.SimulatedFabric;
import io.tensorferry.verbs.edge.EdgeManager;
import io.tensorferry.verbs.memory.MemoryOptions;
import io.tensorferry.verbs.memory.RegisteredBuffer;
import io.tensorferry.verbs.partition.PartitionManager;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.OutgoingMessage;
import io.tensorferry.verbs.wire.RequestIndex;
import io.tensorferry.verbs.wire.SlotReader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Parts of a content, each written over the lane that is named, from one end of a channel to the other.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ContentPartTest {
    private static final int LANES = 3;
    private static final int CHUNK = 4096;
    private static final int INDEX = RequestIndex.of(7, 1);
    private static final String SENDER = "/job:worker/replica:0/task:0";
    private static final String RECEIVER = "/job:worker/replica:0/task:1";

    private final SimulatedFabric fabric = new SimulatedFabric(1);
    private final List<String> written = new ArrayList<>();
    private final End sender = new End(SENDER);
    private final End receiver = new End(RECEIVER);
    private RegisteredBuffer source;
    private RegisteredBuffer target;
    private RdmaChannel channel;

    /// One worker, which tells what the other's writes bring.
    private final class End implements ChannelHandler, EndpointExchange, LoopRunner {
        final RdmaAdapter adapter;
        final List<String> contents = new ArrayList<>();
        final List<Message> messages = new ArrayList<>();
        private final EdgeManager edges;
        private final PartitionManager partitions;
        private @Nullable CompletionLoop loop;
        private @Nullable RdmaChannel open;

        End(String name) {
            Set<String> members = Set.of(SENDER, RECEIVER);
            var config = RdmaConfig.builder().queueDepth(32).build();
            var options = new ChannelOptions(
                            LANES,
                            16,
                            4096,
                            Duration.ofMillis(100),
                            Duration.ofSeconds(1),
                            Duration.ofSeconds(5),
                            Duration.ofSeconds(3),
                            Duration.ZERO)
                    .withStripeBytes(CHUNK)
                    .withPosting(new PostingOptions(0, CHUNK, 4 * CHUNK, 0, 0));
            this.adapter = RdmaAdapter.open(
                    new RdmaAdapterOptions(name, members, name.hashCode(), config, options, MemoryOptions.defaults()),
                    DeviceChoice.choose(config, List.of(fabric.provider(name))),
                    this,
                    new AdapterRuntime(fabric::now, this, Runnable::run, new Random(name.hashCode())));
            this.edges = new EdgeManager(adapter, members);
            this.partitions = new PartitionManager(adapter, members);
        }

        void start() {
            adapter.start(new ChannelHandlers(this, edges.handler(), partitions.handler()));
        }

        int turn() {
            return loop == null ? 0 : loop.doWork();
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

        /// Whatever was to be there before is there now.
        @Override
        public void onContent(RdmaChannel on, int requestIndex, int lane) {
            contents.add("request " + RequestIndex.slot(requestIndex) + " lane " + lane + " differs at "
                    + source.segment().mismatch(target.segment()));
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

        void close() {
            edges.close();
            partitions.close();
            adapter.close();
        }
    }

    private final class Part extends ContentWrite {
        private final String name;

        Part(String name, long offset, long length) {
            this.name = name;
            set(
                    source.address() + offset,
                    length,
                    source.localKey(),
                    target.address() + offset,
                    target.remoteKey(),
                    INDEX);
        }

        Part silent() {
            setSilent();
            return this;
        }

        @Override
        public int encodedSize() {
            throw new AssertionError("nothing goes through the ring");
        }

        @Override
        public int encode(MemorySegment into, long offset, int room) {
            throw new AssertionError("nothing goes through the ring");
        }

        @Override
        protected void onWritten() {
            written.add(name);
        }

        @Override
        protected void onAbandoned() {
            written.add(name + " abandoned");
        }
    }

    @BeforeEach
    void connect() {
        sender.start();
        receiver.start();
        CompletableFuture<Void> connected = sender.adapter.connect(RECEIVER);
        await(() -> connected.isDone() && sender.open != null && receiver.open != null, "the channel opens");
        channel = sender.open;
    }

    @AfterEach
    void close() {
        if (source != null) {
            source.close();
            target.close();
        }
        sender.close();
        receiver.close();
    }

    /// A source with a content to tell from any other, and a target with none.
    private void prepare(int bytes) {
        source = sender.adapter.memory().allocate(bytes);
        target = receiver.adapter.memory().allocate(bytes);
        var random = new Random(bytes);
        for (int i = 0; i < bytes; i++) {
            source.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (1 + random.nextInt(100)));
        }
        target.segment().fill((byte) 0);
    }

    private void await(BooleanSupplier done, String what) {
        for (int i = 0; !done.getAsBoolean(); i++) {
            assertThat(i).as(what).isLessThan(1_000_000);
            if (sender.turn() + receiver.turn() == 0 && !fabric.runNext()) {
                fabric.advance(1_000_000);
            }
        }
    }

    @Test
    void partsOverOneLaneLandInTheirOrderAndTheLastTells() {
        int count = 200;
        prepare(count * CHUNK);
        assertThat(channel.chunkBytes()).isEqualTo(CHUNK);
        int lane = channel.laneOf(INDEX);
        assertThat(lane).isEqualTo(1 + Integer.remainderUnsigned(INDEX, LANES));
        var names = new ArrayList<String>();
        for (int i = 0; i < count; i++) {
            var part = new Part("part " + i, (long) i * CHUNK, CHUNK);
            names.add("part " + i);
            channel.writePart(i < count - 1 ? part.silent() : part, lane);
        }
        await(() -> written.size() == count && !receiver.contents.isEmpty(), "all parts land");
        assertThat(receiver.contents).containsExactly("request 7 lane " + lane + " differs at -1");
        assertThat(written).isEqualTo(names);
    }

    /// The receiver awaits an immediate of each lane, of those too for which there is nothing to write.
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 40})
    void partsOverAllLanesHaveLandedWhenTheLastOfEachHas(int count) {
        prepare(count * CHUNK);
        var metaData = new TensorMetaData(DataType.UINT8, Shape.of(target.byteSize()), false, target.byteSize());
        receiver.open.send(
                new NamedMemory(target.region(), target.address(), target.byteSize()), INDEX, new MemoryNaming() {
                    @Override
                    public OutgoingMessage message(int remoteKey) {
                        return new Message.TensorReRequest(1, INDEX, metaData, target.address(), remoteKey);
                    }

                    @Override
                    public void onRefused(TransportException cause) {
                        throw new AssertionError(cause);
                    }
                });
        await(() -> !sender.messages.isEmpty(), "the memory is named");
        assertThat(channel.lanesOf(target.byteSize())).isEqualTo(LANES);
        for (int i = 0; i < count; i++) {
            var part = new Part("part", (long) i * CHUNK, CHUNK);
            channel.writePart(i < count - LANES ? part.silent() : part, 1 + i % LANES);
        }
        for (int i = count; i < LANES; i++) {
            channel.writePart(new Part("part", 0, 0), 1 + i);
        }
        await(() -> written.size() == Math.max(count, LANES) && !receiver.contents.isEmpty(), "all parts land");
        assertThat(receiver.contents)
                .singleElement()
                .asString()
                .startsWith("request 7 lane ")
                .endsWith(" differs at -1");
    }

    @Test
    void contentsThatNobodyAwaitsOverAllLanesAreToldByTheirLanes() {
        prepare(LANES * CHUNK);
        for (int lane = 1; lane <= LANES; lane++) {
            channel.writePart(new Part("part " + lane, (lane - 1L) * CHUNK, CHUNK), lane);
        }
        await(() -> receiver.contents.size() == LANES, "each is told");
        assertThat(receiver.contents)
                .extracting(content -> content.replaceAll(" differs.*", ""))
                .containsExactlyInAnyOrder("request 7 lane 1", "request 7 lane 2", "request 7 lane 3");
        assertThat(receiver.contents).last().asString().endsWith(" differs at -1");
    }

    @Test
    void aPartThatCouldBeOvertakenIsRefused() {
        prepare(2 * CHUNK);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> channel.writePart(new Part("part", 0, CHUNK + 1), 1))
                .withMessageContaining("4097 bytes");
        assertThat(written).isEmpty();
    }

    @Test
    void partsOfALostChannelAreGivenBack() {
        prepare(2 * CHUNK);
        channel.writePart(new Part("first", 0, CHUNK).silent(), 1);
        channel.onPeerLostIt();
        assertThat(channel.isOpen()).isFalse();
        assertThat(written).containsExactly("first abandoned");
        channel.writePart(new Part("second", CHUNK, CHUNK), 1);
        assertThat(written).containsExactly("first abandoned", "second abandoned");
        assertThat(receiver.contents).isEmpty();
    }
}
