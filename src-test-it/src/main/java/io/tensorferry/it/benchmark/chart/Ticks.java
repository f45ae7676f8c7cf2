package io.tensorferry.it.benchmark.chart;

import java.math.BigDecimal;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The round numbers of an axis.
public enum Ticks {
    /// 1, 2, 5, 10; only powers of ten if the numbers span many of them.
    DECIMAL(10, 1, 150) {
        @Override
        List<Double> around(int exponent) {
            return Stream.of(1, 2, 5)
                    .map(digit -> BigDecimal.valueOf(digit)
                            .scaleByPowerOfTen(exponent)
                            .doubleValue())
                    .toList();
        }
    },
    /// Powers of two; only 4 KiB, 64 KiB, 1 MiB and so on if the numbers span many of them.
    BINARY(2, 4, 256) {
        @Override
        List<Double> around(int exponent) {
            return List.of(Math.scalb(1.0, exponent));
        }
    };

    private final int base;
    private final int coarseStep;
    private final double coarseFrom;

    /// @param coarseStep the step between the exponents of the labelled numbers, if the numbers span many powers
    /// @param coarseFrom the minimum ratio of the last number to the first at which the numbers span many powers
    Ticks(int base, int coarseStep, double coarseFrom) {
        this.base = base;
        this.coarseStep = coarseStep;
        this.coarseFrom = coarseFrom;
    }

    /// The round numbers from a power of the base to the next, which is excluded.
    abstract List<Double> around(int exponent);

    /// At least two round numbers, in ascending order, the first not above `least` and the last not below `most`. Both
    /// arguments are above 0.
    List<Double> enclosing(double least, double most) {
        List<Double> numbers = IntStream.rangeClosed(exponent(least) - 1, exponent(most) + 2)
                .boxed()
                .flatMap(exponent -> around(exponent).stream())
                .toList();
        int first = numbers.size() - 1;
        while (numbers.get(first) > least) {
            first--;
        }
        int last = 0;
        while (numbers.get(last) < most) {
            last++;
        }
        return first < last ? numbers.subList(first, last + 1) : numbers.subList(first - 1, last + 2);
    }

    /// The labelled ones of the enclosing numbers: at least two.
    List<Double> labelled(List<Double> enclosing) {
        if (enclosing.getLast() / enclosing.getFirst() <= coarseFrom) {
            return enclosing;
        }
        return enclosing.stream().filter(this::isCoarse).toList();
    }

    private boolean isCoarse(double number) {
        int exponent = exponent(number * (1 + 1e-9));
        return Math.floorMod(exponent, coarseStep) == 0 && around(exponent).getFirst() == number;
    }

    /// The exponent of the highest power of the base that is not above `number`, or a neighbour of it, because
    /// logarithms are rounded.
    private int exponent(double number) {
        return (int) Math.floor(StrictMath.log(number) / StrictMath.log(base));
    }
}
