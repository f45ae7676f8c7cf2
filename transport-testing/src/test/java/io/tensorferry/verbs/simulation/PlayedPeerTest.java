package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.STEP;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.link.OfferAnswer;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.NameId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A peer whose offers come late, or that is restarted while a worker keeps tensors for it. The test plays the peer, so
/// that what it sends on its next channel is known to the message.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class PlayedPeerTest {
    private static final long SEED = 20_261_124;
    private static final TensorMetaData TRIPLE = TensorMetaData.of(DataType.UINT8, Shape.of(3));

    private HostileStage stage;
    // As the peer has sent them.
    private final List<ConnectionParameters> offers = new ArrayList<>();

    @BeforeEach
    void open() {
        stage = new HostileStage(SEED);
    }

    @AfterEach
    void close() {
        stage.close();
    }

    private void connect() {
        stage.attacker.offer(stage.victim.adapter.acceptor(), offer -> {
            offers.add(offer);
            return offer;
        });
        stage.await(() -> stage.attacker.isConnected() || stage.attacker.hasFailed(), "an answer to the offer");
        assertThat(stage.attacker.isConnected())
                .as("refused: %s", stage.attacker.refusal())
                .isTrue();
    }

    private CompletableFuture<OfferAnswer> answerTo(ConnectionParameters offer) {
        CompletableFuture<OfferAnswer> answer = stage.victim.adapter.acceptor().onOffer(offer);
        stage.await(answer::isDone, "an answer to the offer");
        return answer;
    }

    private static ConnectionParameters numbered(ConnectionParameters offer, long connectionId, long attempt) {
        return new ConnectionParameters(
                offer.protocolVersion(),
                offer.hostName(),
                offer.incarnation(),
                connectionId,
                attempt,
                offer.queuePairs(),
                offer.ring(),
                offer.ringSlots(),
                offer.slotBytes(),
                offer.receiveDepth(),
                offer.mtu(),
                offer.maxMessageBytes(),
                offer.stripeBytes(),
                offer.readsAtOnce(),
                offer.piecesAtOnce(),
                offer.fabric());
    }

    /// A call of the exchange may be delivered late, or a second time.
    @Test
    void anOfferOfAnAttemptThatWasSeenAlreadyIsRefusedAndTheChannelStays() {
        connect();
        connect();
        long failed = stage.counters().failed();
        long opened = stage.counters().opened();
        ConnectionParameters latest = offers.getLast();
        for (ConnectionParameters late : List.of(
                latest,
                offers.getFirst(),
                numbered(latest, latest.connectionId() + 1, latest.attempt()),
                numbered(latest, latest.connectionId() + 1, latest.attempt() - 1))) {
            CompletableFuture<OfferAnswer> answer = answerTo(late);
            assertThat(answer)
                    .as("attempt %d after %d", late.attempt(), latest.attempt())
                    .isCompletedExceptionally();
            assertThat(answer.exceptionNow())
                    .isInstanceOf(TransportException.class)
                    .hasMessageContaining("superseded this offer");
            assertThat(((TransportException) answer.exceptionNow()).code()).isEqualTo(StatusCode.ABORTED);
        }
        stage.settle();
        stage.attackerReceives();
        assertThat(stage.counters().failed()).as("lost channels").isEqualTo(failed);
        assertThat(stage.counters().opened()).as("opened channels").isEqualTo(opened);
        stage.end();
    }

    /// Each process counts its attempts from 1.
    @Test
    void anOfferOfAnotherProcessIsAcceptedWhateverItsAttempt() {
        connect();
        connect();
        stage.attacker.restart();
        stage.attacker.offer(stage.victim.adapter.acceptor(), offer -> numbered(offer, offer.connectionId(), 1));
        stage.await(() -> stage.attacker.isConnected() || stage.attacker.hasFailed(), "an answer to the offer");
        assertThat(stage.attacker.isConnected())
                .as("refused: %s", stage.attacker.refusal())
                .isTrue();
        stage.attackerReceives();
        stage.end();
    }

    /// The victim has taken the tensor for the request, and waits to be told where to write it.
    private int requestTensor(String edge) {
        int index = stage.freshIndex();
        stage.scenario.send(VICTIM, ATTACKER, STEP, edge, 3, 7);
        stage.attacker.send(stage.request(index, edge));
        stage.await(() -> stage.attacker.takeMessage() instanceof Message.MetaDataResponse, "the metadata");
        return index;
    }

    /// The victim has written the tensor of a request, and loses the channel without the peer's acknowledgement.
    private int loseContent() {
        connect();
        stage.attacker.acknowledges = false;
        int index = requestTensor("lost");
        stage.attacker.send(new Message.TensorReRequest(
                STEP, index, TRIPLE, stage.attacker.contentAddress(), stage.attacker.contentKey()));
        stage.await(() -> stage.attacker.contents().contains(index), "the content");
        stage.loseChannel();
        stage.attacker.acknowledges = true;
        return index;
    }

    /// Both processes count their requests from 0. Without the end of the kept ones the index would be in use.
    @Test
    void aRequestOfTheNextProcessIsNotTakenForARequestOfThePrevious() {
        connect();
        int index = requestTensor("kept");
        stage.loseChannel();
        stage.restartAttacker();
        stage.attackerReceives("next", stage.request(index, "next"));
        assertThat(stage.counters().protocolViolations()).isZero();
        stage.assertHealthy();
        stage.end();
    }

    /// The next process repeats a request too, because its own first channel never opened at the victim. The victim has
    /// no tensor of it, and the one that was lost was not its.
    @Test
    void aRepeatedRequestOfTheNextProcessDoesNotFailAsThatOfThePrevious() {
        int index = loseContent();
        stage.restartAttacker();
        stage.attackerReceives(
                "next",
                new Message.TensorRequest(
                        STEP,
                        index,
                        NameId.NONE,
                        Scenario.key(VICTIM, ATTACKER, "next").toString(),
                        null,
                        0,
                        0,
                        false,
                        true));
        assertThat(stage.counters().protocolViolations()).isZero();
        stage.end();
    }

    /// The counterpart: the same process does get the failure of its lost content.
    @Test
    void aRepeatedRequestOfTheSameProcessFailsWithItsLostContent() {
        int index = loseContent();
        stage.reconnectAttacker();
        stage.attacker.send(new Message.TensorRequest(
                STEP, index, NameId.NONE, Scenario.key(VICTIM, ATTACKER, "lost").toString(), null, 0, 0, false, true));
        Message[] answer = new Message[1];
        stage.await(
                () -> {
                    answer[0] = stage.attacker.takeMessage();
                    return answer[0] instanceof Message.OfRequest;
                },
                "an answer");
        assertThat(answer[0]).isInstanceOf(Message.ErrorStatus.class);
        assertThat(((Message.ErrorStatus) answer[0]).message()).contains("written and lost");
        stage.end();
    }
}
