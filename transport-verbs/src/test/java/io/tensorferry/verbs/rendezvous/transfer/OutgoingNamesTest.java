package io.tensorferry.verbs.rendezvous.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.testing.Property;
import io.tensorferry.verbs.wire.NameId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class OutgoingNamesTest {
    private static final TensorMetaData SMALL = TensorMetaData.of(DataType.FLOAT, Shape.of(2));
    private static final TensorMetaData LARGE = TensorMetaData.of(DataType.FLOAT, Shape.of(2000));

    private static RendezvousKey key(String edge) {
        return RendezvousKey.parse(
                "/job:ps/replica:0/task:0/device:CPU:0;0;/job:w/replica:0/task:0/device:CPU:0;" + edge + ";0:0");
    }

    @Test
    void aNumberStandsForAKeyAndItsMetaData() {
        var names = new OutgoingNames();
        assertThat(names.find(key("a"), SMALL)).isEqualTo(NameId.NONE);
        int id = names.define(key("a"), SMALL);
        assertThat(NameId.isValid(id)).isTrue();
        assertThat(names.find(key("a"), SMALL)).isEqualTo(id);
        assertThat(names.find(key("a"), LARGE)).isEqualTo(NameId.NONE);
        assertThat(names.find(key("a"), null)).isEqualTo(NameId.NONE);
        assertThat(names.find(key("b"), SMALL)).isEqualTo(NameId.NONE);
    }

    @Test
    void otherMetaDataKeepsTheNumber() {
        var names = new OutgoingNames();
        int id = names.define(key("a"), null);
        assertThat(names.define(key("a"), SMALL)).isEqualTo(id);
        assertThat(names.find(key("a"), null)).isEqualTo(NameId.NONE);
        assertThat(names.find(key("a"), SMALL)).isEqualTo(id);
    }

    @Test
    void fourKeysOfOneHashHaveANumberEachAndAFifthTakesThatOfOneWhichIsNotUsed() {
        var names = new OutgoingNames();
        // "Aa" and "BB" have one hash, and so have all strings of the same number of them.
        List<String> edges = List.of("AaAaAa", "AaAaBB", "AaBBAa", "AaBBBB", "BBAaAa");
        for (String edge : edges.subList(0, 4)) {
            names.define(key(edge), SMALL);
        }
        for (int step = 0; step < 100; step++) {
            assertThat(edges.subList(0, 4))
                    .allSatisfy(edge -> assertThat(names.find(key(edge), SMALL)).isNotEqualTo(NameId.NONE));
            assertThat(names.define(key(edges.get(4)), SMALL)).isEqualTo(NameId.NONE);
        }
        int steps = 0;
        while (names.define(key(edges.get(4)), SMALL) == NameId.NONE) {
            edges.subList(1, 4).forEach(edge -> names.find(key(edge), SMALL));
            steps++;
        }
        assertThat(steps).isLessThan(100);
        assertThat(edges.stream().filter(edge -> names.find(key(edge), SMALL) == NameId.NONE))
                .containsExactly("AaAaAa");
    }

    private static double step(OutgoingNames names, List<RendezvousKey> keys) {
        int known = 0;
        for (RendezvousKey key : keys) {
            if (names.find(key, SMALL) != NameId.NONE) {
                known++;
            } else {
                names.define(key, SMALL);
            }
        }
        return 100.0 * known / keys.size();
    }

    /// Of 16,384 hashes with four numbers each, some have more keys than others.
    @ParameterizedTest
    @CsvSource({"10000, 99", "60000, 80", "70000, 75", "130000, 48"})
    void ofTooManyKeysAsManyHaveANumberAsThereAre(int count, double percent) {
        var names = new OutgoingNames();
        List<RendezvousKey> keys = IntStream.range(0, count)
                .mapToObj(number -> key("layer" + number + "/grad"))
                .toList();
        step(names, keys);
        for (int step = 2; step <= 10; step++) {
            assertThat(step(names, keys)).as("%d keys, step %d", count, step).isGreaterThan(percent);
        }
        List<RendezvousKey> others = IntStream.range(0, count)
                .mapToObj(number -> key("other" + number + "/grad"))
                .toList();
        for (int step = 0; step < 36; step++) {
            step(names, others);
        }
        assertThat(step(names, others)).as("%d keys of another graph", count).isGreaterThan(percent);
    }

    /// A peer that receives each definition, and nothing else, resolves each name to the intended key.
    @Test
    void thePeerUnderstandsEveryNumber() {
        Property.check(100, draw -> assertThePeerUnderstandsEveryNumber(draw.list(0, 255, () -> draw.intOf(0, 3000))));
    }

    private static void assertThePeerUnderstandsEveryNumber(List<Integer> uses) {
        var names = new OutgoingNames();
        Map<Integer, String> peer = new HashMap<>();
        for (int use : uses) {
            // Few hashes, so that keys push each other out.
            var key = key("AaBB".substring(use % 2 * 2, use % 2 * 2 + 2) + use % 7);
            TensorMetaData metaData = use % 3 == 0 ? null : use % 3 == 1 ? SMALL : LARGE;
            int id = names.find(key, metaData);
            if (id == NameId.NONE) {
                int given = names.define(key, metaData);
                if (given != NameId.NONE) {
                    peer.put(given, key + " " + metaData);
                }
            } else {
                assertThat(peer.get(id)).isEqualTo(key + " " + metaData);
            }
        }
    }
}
