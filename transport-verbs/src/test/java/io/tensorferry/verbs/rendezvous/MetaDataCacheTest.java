package io.tensorferry.verbs.rendezvous;

import static io.tensorferry.verbs.rendezvous.TestTensors.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import java.util.LinkedHashMap;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class MetaDataCacheTest {
    @Test
    void theLastPutWins() {
        var cache = new MetaDataCache(10);
        assertThat(cache.get(key(1))).isNull();
        cache.put(key(1), metaData(1));
        cache.put(key(1), metaData(2));
        assertThat(cache.get(key(1))).isEqualTo(metaData(2));
        assertThat(cache.size()).isEqualTo(1);
        cache.remove(key(1));
        assertThat(cache.get(key(1))).isNull();
        assertThat(cache.size()).isZero();
    }

    @Test
    void theEntryUnusedForLongestGoesFirst() {
        var cache = new MetaDataCache(2);
        cache.put(key(1), metaData(1));
        cache.put(key(2), metaData(2));
        cache.get(key(1));
        cache.put(key(3), metaData(3));
        assertThat(cache.get(key(2))).isNull();
        assertThat(cache.get(key(1))).isEqualTo(metaData(1));
        assertThat(cache.get(key(3))).isEqualTo(metaData(3));
    }

    @Property(tries = 200)
    void itHoldsTheKeysUsedLast(
            @ForAll @IntRange(min = 1, max = 5) int capacity, @ForAll List<@IntRange(max = 19) Integer> uses) {
        var cache = new MetaDataCache(capacity);
        var model = new LinkedHashMap<Integer, Integer>();
        for (int use : uses) {
            int number = use % 10;
            if (use < 10) {
                cache.put(key(number), metaData(number));
                model.remove(number);
                model.put(number, number);
                if (model.size() > capacity) {
                    model.pollFirstEntry();
                }
            } else {
                assertThat(cache.get(key(number)) != null).isEqualTo(model.containsKey(number));
                if (model.containsKey(number)) {
                    model.putLast(number, number);
                }
            }
            assertThat(cache.size()).isEqualTo(model.size());
        }
    }

    @Test
    void aCacheOfNothingIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new MetaDataCache(0));
    }

    private static TensorMetaData metaData(int size) {
        return TensorMetaData.of(DataType.FLOAT, Shape.of(size));
    }
}
