package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.edge.StaticReceiver;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.RequestIndex;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The memory of a receive or of an edge is delivered or freed only after the device has confirmed that the peer's
/// memory window is
/// revoked. The test plays the peer, which posts no receive on the lane: the worker's write there does not complete,
/// and so does the invalidation behind it.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class WindowReleaseTest {
    private static final int WORKER = 0;
    private static final int PEER = 1;
    private static final long STEP = 5;
    private static final int SIZE = 5000;
    private static final int HELD_SIZE = 100;
    private static final int HELD_INDEX = RequestIndex.of(9, 1);

    private Scenario scenario;
    private Attacker peer;
    private SimulatedCluster.Worker worker;
    private Scenario.Receive receive;
    private Message.TensorRequest asked;
    private long bytesBefore;

    @BeforeEach
    void askForATensor() {
        scenario = new Scenario(
                20_261_124,
                1,
                1,
                SimulatedCluster.Options.defaults()
                        .withRkeyScope(RemoteKeyScope.REQUEST)
                        .withRingContent(0),
                SimulatedFabricOptions.defaults().withSpikes(0, 0));
        worker = scenario.worker(WORKER);
        peer = new Attacker(scenario.fabric, SimulatedCluster.name(PEER), new Random(1));
        peer.postsReceivesOnLane = false;
        peer.offer(worker.adapter.acceptor());
        await(peer::isConnected, "the channel");
        peer.contentMemory().fill((byte) 1);

        // After the first receive the request of the second names its memory, by a window.
        Scenario.Receive first = scenario.receive(PEER, WORKER, STEP, "known");
        int index = take(Message.TensorRequest.class).requestIndex();
        peer.send(new Message.MetaDataResponse(STEP, index, metaData(SIZE), OptionalLong.empty()));
        Message.TensorReRequest again = take(Message.TensorReRequest.class);
        peer.content(index, SIZE, again.address(), again.remoteKey());
        await(first::hasEnded, "the first receive");
        scenario.assertContent(first, SIZE, 1);

        receive = scenario.receive(PEER, WORKER, STEP, "known");
        asked = take(Message.TensorRequest.class);
        assertThat(asked.remoteKey()).isNotZero();
    }

    @AfterEach
    void close() {
        scenario.close();
    }

    private static TensorMetaData metaData(long bytes) {
        return TensorMetaData.of(DataType.UINT8, Shape.of(bytes));
    }

    private void await(Supplier<Boolean> condition, String what) {
        scenario.await(
                () -> {
                    peer.poll();
                    return condition.get();
                },
                what);
    }

    private <M extends Message> M take(Class<M> type) {
        Message[] taken = new Message[1];
        await(
                () -> {
                    Message message = peer.takeMessage();
                    if (type.isInstance(message)) {
                        taken[0] = message;
                    }
                    return taken[0] != null;
                },
                "a " + type.getSimpleName());
        return type.cast(taken[0]);
    }

    /// Everything happens that needs no receive on the lane.
    private void settle() {
        long end = scenario.fabric.now() + 5 * Scenario.MILLISECOND_NS;
        await(() -> scenario.fabric.now() >= end, "time passes");
    }

    /// The worker writes a content that the peer has asked for and takes no receive from.
    private void holdTheLane() {
        scenario.send(WORKER, PEER, STEP, "held", HELD_SIZE, 2);
        peer.send(new Message.TensorRequest(
                STEP, HELD_INDEX, Scenario.key(WORKER, PEER, "held").toString(), null, 0, 0, false));
        take(Message.MetaDataResponse.class);
        peer.send(new Message.TensorReRequest(
                STEP, HELD_INDEX, metaData(HELD_SIZE), peer.contentAddress(), peer.contentKey()));
        settle();
        assertThat(peer.contents()).as("contents that the peer has heard of").isEmpty();
        bytesBefore = bytesInUse();
    }

    private void releaseTheLane() {
        peer.postReceivesOnLane();
        await(() -> peer.contents().contains(HELD_INDEX), "the content on the lane");
        settle();
    }

    private long bytesInUse() {
        return worker.adapter.memory().statistics().bytesInUse();
    }

    private void assertMemoryIsKeptUntilTheLaneIsReleased() {
        settle();
        assertThat(bytesInUse())
                .as("bytes in use while the revocation is not confirmed")
                .isEqualTo(bytesBefore);
        releaseTheLane();
        assertThat(bytesInUse()).as("bytes in use after the revocation").isLessThanOrEqualTo(bytesBefore - SIZE);
    }

    private void end() {
        assertThat(worker.adapter.counters().failed()).as("lost channels").isZero();
        peer.close();
        scenario.end();
    }

    private void giveUp() {
        assertThat(receive.cancel()).isTrue();
        Message.ErrorStatus status = take(Message.ErrorStatus.class);
        assertThat(status.requestIndex()).isEqualTo(asked.requestIndex());
    }

    private void sendError() {
        peer.send(new Message.ErrorStatus(
                STEP, asked.requestIndex(), Message.Direction.TO_RECEIVER, StatusCode.ABORTED, "no such tensor"));
    }

    private void writeContent() {
        peer.contentMemory().fill((byte) 3);
        peer.content(asked.requestIndex(), SIZE, asked.address(), asked.remoteKey());
    }

    @Test
    void aTensorIsDeliveredAfterTheRevocation() {
        holdTheLane();
        writeContent();
        settle();
        assertThat(receive.hasEnded())
                .as("delivered while the revocation is not confirmed")
                .isFalse();
        releaseTheLane();
        scenario.assertContent(receive, SIZE, 3);
        end();
    }

    @Test
    void theMemoryOfARefusedReceiveIsFreedAfterTheRevocation() {
        holdTheLane();
        sendError();
        await(receive::hasEnded, "the receive fails");
        assertThat(receive.code()).isEqualTo(StatusCode.ABORTED);
        assertMemoryIsKeptUntilTheLaneIsReleased();
        end();
    }

    @Test
    void theMemoryOfACancelledReceiveWhoseContentLandsIsFreedAfterTheRevocation() {
        holdTheLane();
        giveUp();
        writeContent();
        assertMemoryIsKeptUntilTheLaneIsReleased();
        end();
    }

    @Test
    void theMemoryOfACancelledReceiveThatThePeerConfirmsIsFreedAfterTheRevocation() {
        holdTheLane();
        giveUp();
        sendError();
        assertMemoryIsKeptUntilTheLaneIsReleased();
        end();
    }

    /// The tensor has other metadata than at the first time: the named memory is replaced.
    @Test
    void theMemoryOfATensorThatHasChangedIsFreedAfterTheRevocation() {
        holdTheLane();
        peer.send(new Message.MetaDataResponse(STEP, asked.requestIndex(), metaData(3 * SIZE), OptionalLong.empty()));
        settle();
        assertThat(bytesInUse())
                .as("bytes in use, the new memory included, while the revocation is not confirmed")
                .isGreaterThanOrEqualTo(bytesBefore + 3 * SIZE);
        releaseTheLane();
        Message.TensorReRequest again = take(Message.TensorReRequest.class);
        assertThat(bytesInUse()).as("bytes in use after the revocation").isLessThan(bytesBefore + 3 * SIZE);
        peer.contentMemory().fill((byte) 4);
        peer.content(again.requestIndex(), 3 * SIZE, again.address(), again.remoteKey());
        await(receive::hasEnded, "the receive");
        scenario.assertContent(receive, 3 * SIZE, 4);
        end();
    }

    @Test
    void theMemoryOfAnEdgeThatTheProducerEndsIsFreedAfterTheRevocation() {
        StaticReceiver receiver = worker.edges.openReceiver(SimulatedStaticEdge.of(PEER, WORKER, "edge", SIZE));
        Message.EdgeOffer offer = take(Message.EdgeOffer.class);
        assertThat(offer.remoteKey()).isNotZero();
        holdTheLane();
        peer.send(new Message.EdgeStatus(
                offer.edge(), 0, Message.Direction.TO_RECEIVER, StatusCode.ABORTED, "the edge is over"));
        receiver.close();
        assertMemoryIsKeptUntilTheLaneIsReleased();
        assertThat(receiver.ended()).isDone();
        giveUp();
        sendError();
        end();
    }
}
