package io.tensorferry.testing;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// A statement that holds for all values, checked with random ones.
///
/// ```java
/// @Test
/// void aParsedNameIsTheOneThatWasPrinted() {
///     Property.check(1000, draw -> {
///         var name = new WorkerName(draw.intOf(0, 999), draw.text(1, 20));
///         assertThat(WorkerName.parse(name.toString())).isEqualTo(name);
///     });
/// }
/// ```
///
/// Collections and texts are small in the first tries and grow with the later ones. The property of a failed try is
/// checked again with smaller ones, and the failure tells the smallest size that fails, the values drawn, and the
/// value of `-Dproperty.case` that repeats that try alone. `-Dproperty.tries=N` multiplies the tries by N.
///
/// Threading: the property runs on the calling thread. It must not keep state from one try to the next.
public final class Property {
    /// What a property does with the values of one try; fails by throwing.
    @FunctionalInterface
    public interface Body {
        /// Checks the property once.
        void check(Draw draw) throws Exception;
    }

    /// A try: what it draws depends on these alone.
    private record Case(long seed, int size) {
        static Case parse(String text) {
            int colon = text.indexOf(':');
            if (colon < 1) {
                throw new IllegalArgumentException("property.case is '" + text + "', expected SEED:SIZE as in 1f3a:12");
            }
            int size = Integer.parseInt(text, colon + 1, text.length(), 10);
            return new Case(Long.parseUnsignedLong(text, 0, colon, 16), size);
        }

        @Override
        public String toString() {
            return Long.toHexString(seed) + ":" + size;
        }
    }

    private final Body body;

    private Property(Body body) {
        this.body = body;
    }

    /// Checks a property with this number of tries, times `-Dproperty.tries`.
    ///
    /// @throws AssertionError for the first try that fails, with its failure as the cause
    public static void check(int tries, Body body) {
        var property = new Property(body);
        String one = System.getProperty("property.case");
        if (one != null) {
            property.tryOnce(Case.parse(one), "the try");
            return;
        }
        int all = Math.multiplyExact(tries, Integer.getInteger("property.tries", 1));
        for (int i = 0; i < all; i++) {
            // Full size from the middle on.
            int size = (int) Math.min(Draw.FULL_SIZE, 1 + 2L * Draw.FULL_SIZE * i / all);
            property.tryOnce(new Case(ThreadLocalRandom.current().nextLong(), size), "try " + (i + 1) + " of " + all);
        }
    }

    private void tryOnce(Case drawn, String name) {
        Throwable failure = failure(Draw.quiet(drawn.seed, drawn.size));
        if (failure == null) {
            return;
        }
        long start = System.nanoTime();
        Case smallest = drawn;
        for (int size = 0; size < drawn.size; size++) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(5)) {
                break;
            }
            Throwable smaller = failure(Draw.quiet(drawn.seed, size));
            if (smaller != null) {
                smallest = new Case(drawn.seed, size);
                failure = smaller;
                break;
            }
        }
        var again = Draw.showing(smallest.seed, smallest.size);
        String repeated = failure(again) == null ? " (it does not fail again)" : "";
        throw new AssertionError(
                "%s fails%s; -Dproperty.case=%s repeats it. It drew %s: %s"
                        .formatted(name, repeated, smallest, again.shown(), failure),
                failure);
    }

    private @Nullable Throwable failure(Draw draw) {
        try {
            body.check(draw);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e;
        } catch (Throwable e) {
            return e;
        }
    }
}
