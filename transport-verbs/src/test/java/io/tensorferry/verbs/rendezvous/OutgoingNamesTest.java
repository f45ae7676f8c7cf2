package io.tensorferry.verbs.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.verbs.wire.NameId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

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
    void fourKeysOfOneHashHaveANumberEachAndAFifthTakesOne() {
        var names = new OutgoingNames();
        // "Aa" and "BB" have one hash, and so has whatever is made of as many of them.
        List<String> edges = List.of("AaAaAa", "AaAaBB", "AaBBAa", "AaBBBB", "BBAaAa");
        for (String edge : edges.subList(0, 4)) {
            names.define(key(edge), SMALL);
        }
        assertThat(edges.subList(0, 4))
                .allSatisfy(edge -> assertThat(names.find(key(edge), SMALL)).isNotEqualTo(NameId.NONE));
        names.define(key(edges.get(4)), SMALL);
        assertThat(edges.stream().filter(edge -> names.find(key(edge), SMALL) != NameId.NONE))
                .hasSize(4)
                .contains("BBAaAa");
    }

    /// What the peer believes, who hears of each definition and of nothing else, is what is meant.
    @Property(tries = 100)
    void thePeerUnderstandsEveryNumber(@ForAll List<@IntRange(max = 3000) Integer> uses) {
        var names = new OutgoingNames();
        Map<Integer, String> peer = new HashMap<>();
        for (int use : uses) {
            // Few hashes, so that keys push each other out.
            var key = key("AaBB".substring(use % 2 * 2, use % 2 * 2 + 2) + use % 7);
            TensorMetaData metaData = use % 3 == 0 ? null : use % 3 == 1 ? SMALL : LARGE;
            int id = names.find(key, metaData);
            if (id == NameId.NONE) {
                peer.put(names.define(key, metaData), key + " " + metaData);
            } else {
                assertThat(peer.get(id)).isEqualTo(key + " " + metaData);
            }
        }
    }
}
