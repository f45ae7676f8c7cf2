package io.tensorferry.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/// The random values of one try of a [Property]. They depend on the try's seed and size alone.
///
/// One number in eight is a bound of its range, next to one, or zero: where mistakes are. The size bounds how long
/// lists, arrays and texts get: a try of size [#FULL_SIZE] reaches the lengths that are asked for.
///
/// Threading: one thread.
public final class Draw {
    static final int FULL_SIZE = 100;
    private static final int SHOWN_VALUES = 50;
    private static final int SHOWN_CHARACTERS = 1000;

    private final SplittableRandom random;
    private final int size;
    private final boolean shows;
    private final List<String> shown = new ArrayList<>();
    private boolean within;

    private Draw(long seed, int size, boolean shows) {
        this.random = new SplittableRandom(seed);
        this.size = size;
        this.shows = shows;
    }

    static Draw quiet(long seed, int size) {
        return new Draw(seed, size, false);
    }

    /// Keeps what it draws, for [#shown()].
    static Draw showing(long seed, int size) {
        return new Draw(seed, size, true);
    }

    /// The first values drawn, for a reader.
    String shown() {
        String all = shown.toString();
        return all.length() <= SHOWN_CHARACTERS ? all : all.substring(0, SHOWN_CHARACTERS) + "...";
    }

    private <T> T show(T value) {
        if (shows && !within && shown.size() < SHOWN_VALUES) {
            String text = Arrays.deepToString(new Object[] {value});
            shown.add(text.substring(1, text.length() - 1));
        }
        return value;
    }

    /// A value that is made of several, shown as one.
    private <T> T whole(Supplier<T> made) {
        boolean outer = within;
        within = true;
        T value = made.get();
        within = outer;
        return show(value);
    }

    /// False or true.
    public boolean bool() {
        return show(random.nextBoolean());
    }

    /// Any number.
    public int anyInt() {
        return intOf(Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /// Any number.
    public long anyLong() {
        return longOf(Long.MIN_VALUE, Long.MAX_VALUE);
    }

    /// A number of a range that includes both bounds.
    public int intOf(int min, int max) {
        return (int) longOf(min, max);
    }

    /// A number of a range that includes both bounds.
    public long longOf(long min, long max) {
        if (random.nextInt(8) == 0) {
            long[] edges = {min, max, 0, min + 1, max - 1, 1, -1};
            long edge = edges[random.nextInt(edges.length)];
            if (min <= edge && edge <= max) {
                return show(edge);
            }
        }
        long value = min == Long.MIN_VALUE && max == Long.MAX_VALUE
                ? random.nextLong()
                : max == Long.MAX_VALUE ? random.nextLong(min - 1, max) + 1 : random.nextLong(min, max + 1);
        return show(value);
    }

    /// One of these.
    @SafeVarargs
    public final <T> T of(T... values) {
        return show(values[random.nextInt(values.length)]);
    }

    /// One of a type's constants.
    public <E extends Enum<E>> E of(Class<E> type) {
        return of(type.getEnumConstants());
    }

    /// What one of these makes.
    @SafeVarargs
    public final <T> T oneOf(Supplier<? extends T>... makers) {
        return makers[random.nextInt(makers.length)].get();
    }

    /// The index of one of these weights, each as likely as it is heavy.
    public int weighted(int... weights) {
        int left = random.nextInt(Arrays.stream(weights).sum());
        int index = 0;
        while (left >= weights[index]) {
            left -= weights[index++];
        }
        return show(index);
    }

    /// A value that a predicate accepts, of those that a maker makes.
    ///
    /// @throws IllegalStateException if none of 1,000 values is accepted
    public <T> T where(Predicate<? super T> accepted, Supplier<T> maker) {
        return whole(() -> {
            for (int i = 0; i < 1000; i++) {
                T value = maker.get();
                if (accepted.test(value)) {
                    return value;
                }
            }
            throw new IllegalStateException("none of 1000 drawn values is accepted");
        });
    }

    /// A list of values that a maker makes, whose length has these bounds.
    public <T> List<T> list(int min, int max, Supplier<? extends T> maker) {
        return whole(() -> {
            int length = length(min, max);
            var values = new ArrayList<T>(length);
            for (int i = 0; i < length; i++) {
                values.add(maker.get());
            }
            return values;
        });
    }

    /// Numbers that a maker makes, this many or fewer.
    public long[] longs(int max, LongSupplier maker) {
        return whole(() -> {
            long[] values = new long[length(0, max)];
            Arrays.setAll(values, _ -> maker.getAsLong());
            return values;
        });
    }

    /// Bytes, this many or fewer.
    public byte[] bytes(int max) {
        return whole(() -> {
            byte[] bytes = new byte[length(0, max)];
            random.nextBytes(bytes);
            return bytes;
        });
    }

    /// Text of any characters, also halves of surrogate pairs, whose number of UTF-16 units has these bounds.
    public String text(int min, int max) {
        return text(min, max, 5);
    }

    /// Text of characters that take one to four bytes in UTF-8, whose number of UTF-16 units has these bounds.
    public String wellFormedText(int min, int max) {
        return text(min, max, 4);
    }

    private String text(int min, int max, int kinds) {
        return whole(() -> {
            int length = length(min, max);
            var text = new StringBuilder(length);
            while (text.length() < length) {
                int kind = random.nextInt(kinds);
                switch (kind == 3 && text.length() + 1 == length ? 0 : kind) {
                    case 0 -> text.append((char) random.nextInt(0x80));
                    case 1 -> text.append((char) random.nextInt(0x80, 0xD800));
                    case 2 -> text.append((char) random.nextInt(0xE000, 0x10000));
                    case 3 -> text.appendCodePoint(random.nextInt(0x10000, 0x110000));
                    default -> text.append((char) random.nextInt(0xD800, 0xE000));
                }
            }
            return text.toString();
        });
    }

    private int length(int min, int max) {
        return intOf(min, min + (int) ((long) (max - min) * size / FULL_SIZE));
    }
}
