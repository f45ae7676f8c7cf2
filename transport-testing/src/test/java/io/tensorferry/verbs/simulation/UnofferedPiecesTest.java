package io.tensorferry.verbs.simulation;

import static io.tensorferry.verbs.simulation.HostileStage.ATTACKER;
import static io.tensorferry.verbs.simulation.HostileStage.STEP;
import static io.tensorferry.verbs.simulation.HostileStage.VICTIM;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.Message;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A peer that asks for pieces of a content, of a worker that has said that it serves none.
@Timeout(60)
class UnofferedPiecesTest {
    private static final TensorMetaData TRIPLE = TensorMetaData.of(DataType.UINT8, Shape.of(3));

    /// Served as if it were whole, the content would be written where the request names nothing.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theyAreAViolation(boolean named) {
        try (var stage = new HostileStage(
                0x9EECE5, SimulatedCluster.Options.defaults().withRingContent(0).withPiecesAtOnce(0))) {
            stage.connect();
            int index = stage.freshIndex();
            stage.scenario.send(VICTIM, ATTACKER, STEP, "wanted", 3, 1);
            stage.attacker.send(stage.request(index, "wanted"));
            stage.settle();
            stage.attacker.send(
                    named
                            ? new Message.TensorPiece(STEP, index, 0, 3, 0x1000, 0xBAD)
                            : new Message.TensorReRequest(STEP, index, TRIPLE, 0, 0, true));
            stage.await(() -> stage.counters().failed() == 1, "the channel fails");
            assertThat(stage.counters().protocolViolations()).isEqualTo(1);
            stage.assertHealthy();
            stage.end();
        }
    }
}
