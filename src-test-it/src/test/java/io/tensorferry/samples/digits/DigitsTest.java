package io.tensorferry.samples.digits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class DigitsTest {
    @Test
    void allImagesAreThereWithTheirPixelsAndLabels() {
        Digits digits = Digits.load();

        assertThat(digits.count()).isEqualTo(1797);
        assertThat(digits.labels()).hasSize(1797).allMatch(label -> label >= 0 && label <= 9);
        assertThat(digits.images()).allSatisfy(image -> {
            assertThat(image).hasSize(64);
            assertThat(image).doesNotContain(Double.NaN);
            for (double pixel : image) {
                assertThat(pixel).isBetween(0.0, 1.0);
            }
        });
        // The first image of the file, a zero: its third and fourth pixel are 5 and 13 of 16.
        assertThat(digits.labels().getFirst()).isZero();
        assertThat(digits.images().getFirst()).startsWith(0, 0, 5 / 16.0, 13 / 16.0);
    }

    @Test
    void theSplitIsTheSameInEveryProcessAndSharesNoImage() {
        Digits.Split one = Digits.shuffledSplit(7);
        Digits.Split other = Digits.shuffledSplit(7);

        assertThat(one.training().count()).isEqualTo(1437);
        assertThat(one.heldOut().count()).isEqualTo(360);
        assertThat(one.training().labels()).isEqualTo(other.training().labels());
        assertThat(one.heldOut().images().getLast())
                .isEqualTo(other.heldOut().images().getLast());
        Set<double[]> all = Collections.newSetFromMap(new IdentityHashMap<>());
        all.addAll(one.training().images());
        all.addAll(one.heldOut().images());
        assertThat(all).hasSize(1797);
    }

    @Test
    void shufflingKeepsEachImageWithItsLabel() {
        Digits original = Digits.load();
        Digits shuffled = Digits.shuffledSplit(3).training();
        var pairs = new HashSet<List<Object>>();
        for (int i = 0; i < original.count(); i++) {
            pairs.add(pair(original, i));
        }

        for (int i = 0; i < shuffled.count(); i++) {
            assertThat(pairs).contains(pair(shuffled, i));
        }
    }

    private static List<Object> pair(Digits digits, int index) {
        return List.of(
                Arrays.hashCode(digits.images().get(index)), digits.labels().get(index));
    }
}
