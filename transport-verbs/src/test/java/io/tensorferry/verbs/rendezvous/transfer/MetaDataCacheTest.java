package io.tensorferry.verbs.rendezvous.transfer;

import static io.tensorferry.verbs.rendezvous.TestTensors.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.tensorferry.api.DataType;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.testing.Property;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
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

    /// A key that is reused soon replaces the key that was not used for
    /// longest.
    @Test
    void theEntryUnusedForLongestGoesFirst() {
        var cache = new MetaDataCache(2);
        use(cache, 1);
        use(cache, 2);
        use(cache, 1);
        for (int i = 0; i < 6; i++) {
            use(cache, 3);
        }
        assertThat(cache.get(key(2))).isNull();
        assertThat(cache.get(key(1))).isEqualTo(metaData(1));
        assertThat(cache.get(key(3))).isEqualTo(metaData(3));
    }

    @Test
    void aKeyThatWasNotLookedUpTakesNoOthersPlace() {
        var cache = new MetaDataCache(1);
        cache.put(key(1), metaData(1));
        cache.put(key(2), metaData(2));
        assertThat(cache.get(key(2))).isNull();
        assertThat(cache.get(key(1))).isEqualTo(metaData(1));
    }

    /// Compared with a simpler model: each key with its time, and a scan of all keys.
    @Test
    void itHoldsTheKeysThatComeMostOften() {
        Property.check(
                200,
                draw -> assertItHoldsTheKeysThatComeMostOften(
                        draw.intOf(1, 5), draw.list(0, 255, () -> draw.intOf(0, 9))));
    }

    private static void assertItHoldsTheKeysThatComeMostOften(int capacity, List<Integer> uses) {
        var cache = new MetaDataCache(capacity);
        var usedAt = new HashMap<Integer, Integer>();
        var missedAt = new HashMap<Integer, Integer>();
        int now = 0;
        for (int number : uses) {
            now++;
            boolean found = usedAt.containsKey(number);
            assertThat(use(cache, number)).isEqualTo(found);
            if (found || usedAt.size() < capacity) {
                usedAt.put(number, now);
                continue;
            }
            int eldest = Collections.min(usedAt.keySet(), Comparator.comparing(usedAt::get));
            Integer before = missedAt.put(number, now);
            if (before != null && now - before < (now - usedAt.get(eldest)) / 3) {
                usedAt.remove(eldest);
                usedAt.put(number, now);
                missedAt.remove(number);
            }
        }
        assertThat(cache.size()).isEqualTo(usedAt.size());
    }

    /// A receive of a tensor with unchanged metadata.
    private static boolean use(MetaDataCache cache, int number) {
        return use(cache, key(number), metaData(number));
    }

    private static boolean use(MetaDataCache cache, RendezvousKey key, TensorMetaData metaData) {
        boolean known = cache.get(key) != null;
        if (!known) {
            cache.put(key, metaData);
        }
        return known;
    }

    private static List<RendezvousKey> keys(String graph, int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> RendezvousKey.parse("/job:ps/replica:0/task:0/device:CPU:0;0;"
                        + "/job:worker/replica:0/task:1/device:CPU:0;" + graph + number + "/grad;0:0"))
                .toList();
    }

    /// The share of known keys in a step that uses each key once, in percent.
    private static double step(MetaDataCache cache, List<RendezvousKey> keys) {
        long known = keys.stream().filter(key -> use(cache, key, metaData(1))).count();
        return 100.0 * known / keys.size();
    }

    @ParameterizedTest
    @CsvSource({"60000, 100", "65536, 100", "70000, 93.6", "130000, 50.4"})
    void ofTooManyKeysAsManyAreKnownAsThereIsRoomFor(int count, double percent) {
        var cache = new MetaDataCache(65_536);
        List<RendezvousKey> keys = keys("layer", count);
        assertThat(step(cache, keys)).isZero();
        for (int step = 2; step <= 5; step++) {
            assertThat(step(cache, keys)).as("%d keys, step %d", count, step).isCloseTo(percent, within(0.1));
        }
    }

    @ParameterizedTest
    @CsvSource({"60000, 100", "70000, 88", "130000, 40"})
    void inAnotherOrderPerStepNearlyAsManyAreKnown(int count, double percent) {
        var cache = new MetaDataCache(65_536);
        var keys = new ArrayList<>(keys("layer", count));
        var random = new Random(1);
        for (int step = 1; step <= 5; step++) {
            Collections.shuffle(keys, random);
            double known = step(cache, keys);
            if (step > 1) {
                assertThat(known).as("%d keys, step %d", count, step).isGreaterThanOrEqualTo(percent);
            }
        }
    }

    @Test
    void keysThatComeOnceFlushNothing() {
        var cache = new MetaDataCache(1000);
        List<RendezvousKey> keys = keys("layer", 1000);
        step(cache, keys);
        for (int scan = 0; scan < 3; scan++) {
            assertThat(step(cache, keys("once" + scan + "/", 10_000))).isZero();
            assertThat(step(cache, keys)).isEqualTo(100);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 1000, 1500})
    void theKeysOfAnotherGraphTakeThePlacesOfThoseThatAreNotUsedAnyMore(int count) {
        var cache = new MetaDataCache(1000);
        List<RendezvousKey> before = keys("before", 1000);
        for (int step = 0; step < 50; step++) {
            step(cache, before);
        }
        List<RendezvousKey> after = keys("after", count);
        for (int step = 0; step < 12; step++) {
            step(cache, after);
        }
        assertThat(step(cache, after)).isGreaterThan(0.9 * Math.min(100, 100_000.0 / count));
    }

    @Test
    void aCacheOfNothingIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new MetaDataCache(0));
    }

    private static TensorMetaData metaData(int size) {
        return TensorMetaData.of(DataType.FLOAT, Shape.of(size));
    }
}
