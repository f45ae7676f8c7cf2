package io.tensorferry.verbs.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class LandedPartsTest {
    private static LandedParts over(int lanesOfTensor, int allLanes, int places) {
        var parts = new LandedParts(places);
        parts.begin(lanesOfTensor, allLanes);
        return parts;
    }

    @Test
    void aTensorOverOneLaneIsCompleteAtOnce() {
        LandedParts parts = over(1, 4, 1);
        for (int i = 0; i < 100; i++) {
            assertThat(parts.add(1 + i % 4)).isTrue();
        }
    }

    @Test
    void aTensorOverAllLanesIsCompleteWithItsLastPart() {
        LandedParts parts = over(3, 3, 2);
        assertThat(parts.add(1)).isFalse();
        assertThat(parts.add(3)).isFalse();
        assertThat(parts.add(1)).isFalse();
        assertThat(parts.add(2)).isTrue();
        assertThat(parts.add(2)).isFalse();
        assertThat(parts.add(3)).isTrue();
    }

    @Test
    void aLaneThatIsMoreThanThePlacesAheadIsRefused() {
        for (int places = 1; places <= 2; places++) {
            LandedParts parts = over(2, 2, places);
            for (int i = 0; i < places; i++) {
                assertThat(parts.add(2)).isFalse();
            }
            assertThatExceptionOfType(ProtocolViolationException.class)
                    .isThrownBy(() -> parts.add(2))
                    .withMessageContaining("lane 2");
        }
    }

    @Test
    void whatALostChannelBroughtOfATensorDoesNotCount() {
        LandedParts parts = over(2, 2, 1);
        assertThat(parts.add(1)).isFalse();
        parts.begin(2, 2);
        assertThat(parts.add(2)).isFalse();
        assertThat(parts.add(1)).isTrue();
        assertThat(parts.add(1)).isFalse();
        // A channel with fewer lanes, then one with more.
        parts.begin(1, 1);
        assertThat(parts.add(1)).isTrue();
        parts.begin(4, 4);
        assertThat(parts.add(4)).isFalse();
        assertThat(parts.add(1)).isFalse();
        assertThat(parts.add(2)).isFalse();
        assertThat(parts.add(3)).isTrue();
    }

    @Test
    void partsInAnyOrderOfLanesMakeAsManyTensors() {
        for (long seed = 0; seed < 100; seed++) {
            var random = new Random(seed);
            int lanes = random.nextInt(2, 9);
            int tensors = random.nextInt(1, 3);
            LandedParts parts = over(lanes, lanes, tensors);
            List<Integer> order = new ArrayList<>();
            for (int lane = 1; lane <= lanes; lane++) {
                order.addAll(Collections.nCopies(tensors, lane));
            }
            Collections.shuffle(order, random);
            int complete = 0;
            for (int lane : order) {
                complete += parts.add(lane) ? 1 : 0;
            }
            assertThat(complete).as("seed %d", seed).isEqualTo(tensors);
        }
    }
}
