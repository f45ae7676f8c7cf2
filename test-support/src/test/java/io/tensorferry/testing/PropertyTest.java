package io.tensorferry.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PropertyTest {
    private static final Pattern CASE = Pattern.compile("-Dproperty\\.case=([0-9a-f]+:([0-9]+)) ");

    @AfterEach
    void defaults() {
        System.clearProperty("property.case");
        System.clearProperty("property.tries");
    }

    private static List<Object> values(Draw draw) {
        return List.of(
                draw.bool(), draw.anyInt(), draw.longOf(-3, 3), draw.text(0, 20), draw.list(0, 9, () -> draw.of(1, 2)));
    }

    private static Matcher failedCase(AssertionError failure) {
        Matcher found = CASE.matcher(failure.getMessage());
        assertThat(found.find()).as(failure.getMessage()).isTrue();
        return found;
    }

    @Test
    void aPropertyThatHoldsIsTriedAsOftenAsAsked() {
        var tried = new ArrayList<List<Object>>();
        Property.check(50, draw -> tried.add(values(draw)));
        assertThat(tried).hasSize(50);
        assertThat(new HashSet<>(tried)).hasSizeGreaterThan(40);
        System.setProperty("property.tries", "3");
        Property.check(50, draw -> tried.add(values(draw)));
        assertThat(tried).hasSize(200);
    }

    @Test
    void aFailureTellsTheCaseThatRepeatsIt() {
        var failed = new ArrayList<List<Object>>();
        AssertionError failure = catchThrowableOfType(
                AssertionError.class,
                () -> Property.check(1000, draw -> {
                    List<Object> values = values(draw);
                    if ((int) values.get(1) > 1000) {
                        failed.add(values);
                        throw new IllegalStateException("a bug");
                    }
                }));
        assertThat(failure).hasMessageContaining("a bug").hasMessageContaining("of 1000 fails; ");
        assertThat(failure).hasCauseInstanceOf(IllegalStateException.class);

        System.setProperty("property.case", failedCase(failure).group(1));
        var repeated = new ArrayList<List<Object>>();
        Property.check(1000, draw -> repeated.add(values(draw)));
        assertThat(repeated).containsExactly(failed.getLast());
        assertThat(failure).hasMessageContaining(failed.getLast().toString());
    }

    @Test
    void theSmallestSizeThatFailsIsTold() {
        AssertionError failure = catchThrowableOfType(
                AssertionError.class,
                () -> Property.check(
                        1000, draw -> assertThat(draw.list(0, 100, draw::bool)).hasSizeLessThan(5)));
        assertThat(Integer.parseInt(failedCase(failure).group(2))).isBetween(5, 20);
        assertThat(failure).hasMessageContaining("[");
    }

    @Test
    void aFailureThatDoesNotRepeatIsSaid() {
        var times = new ArrayList<Integer>();
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> Property.check(10, _ -> {
                    times.add(1);
                    assertThat(times).hasSizeGreaterThan(1);
                }))
                .withMessageContaining("it does not fail again");
    }

    @Test
    void numbersStayInTheirRangeAndReachItsBounds() {
        var seen = new HashSet<Long>();
        Property.check(2000, draw -> {
            seen.add(draw.longOf(Long.MAX_VALUE - 2, Long.MAX_VALUE));
            seen.add((long) draw.intOf(-1, 1));
            assertThat(draw.longOf(Long.MIN_VALUE, -5)).isLessThanOrEqualTo(-5);
            assertThat(draw.intOf(7, 7)).isEqualTo(7);
        });
        assertThat(seen).containsExactlyInAnyOrder(-1L, 0L, 1L, Long.MAX_VALUE - 2, Long.MAX_VALUE - 1, Long.MAX_VALUE);
    }

    @Test
    void lengthsStayInTheirBoundsAndReachThem() {
        Set<Integer> lengths = new HashSet<>();
        Property.check(2000, draw -> {
            lengths.add(draw.list(1, 4, draw::bool).size());
            assertThat(draw.bytes(10)).hasSizeLessThanOrEqualTo(10);
            assertThat(draw.longs(3, draw::anyLong)).hasSizeLessThanOrEqualTo(3);
            assertThat(draw.text(2, 9)).hasSizeBetween(2, 9);
            String wellFormed = draw.wellFormedText(0, 9);
            assertThat(new String(wellFormed.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                    .isEqualTo(wellFormed);
        });
        assertThat(lengths).containsExactlyInAnyOrder(1, 2, 3, 4);
    }

    @Test
    void choicesAreOfWhatThereIs() {
        var weights = new HashSet<Integer>();
        Property.check(500, draw -> {
            weights.add(draw.weighted(1, 0, 5));
            assertThat(draw.of(Thread.State.class)).isIn((Object[]) Thread.State.values());
            assertThat(draw.oneOf(() -> "a", () -> "b")).isIn("a", "b");
            assertThat(draw.where(n -> n % 2 == 0, draw::anyInt)).isEven();
        });
        assertThat(weights).containsExactlyInAnyOrder(0, 2);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> Property.check(1, draw -> draw.where(_ -> false, draw::bool)))
                .withMessageContaining("none of 1000 drawn values is accepted");
    }
}
