package io.tensorferry.it.benchmark.chart;

import java.math.BigDecimal;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// The round numbers of an axis.
public enum Ticks {
    /// 1, 2, 5, 10; powers of ten alone where the numbers span many of them.
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
    /// Powers of two; 4 KiB, 64 KiB, 1 MiB and so on alone where the numbers span many of them.
    BINARY(2, 4, 256) {
        @Override
        List<Double> around(int exponent) {
            return List.of(Math.scalb(1.0, exponent));
        }
    };

    private final int base;
    private final int coarseStep;
    private final double coarseFrom;

    /// @param coarseStep between the exponents of the labelled numbers, where the numbers span many powers
    /// @param coarseFrom the ratio of the last number to the first above which they span many powers
    Ticks(int base, int coarseStep, double coarseFrom) {
        this.base = base;
        this.coarseStep = coarseStep;
        this.coarseFrom = coarseFrom;
    }

    /// The round numbers from a power of the base to the next, without that.
    abstract List<Double> around(int exponent);

    /// At least two round numbers, in ascending order, the first not above `least` and the last not below `most`; both
    /// above 0.
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

    /// Those of the enclosing numbers that are labelled: at least two.
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

    /// Of the highest power of the base that is not above `number`, or of its neighbour: a logarithm is rounded.
    private int exponent(double number) {
        return (int) Math.floor(StrictMath.log(number) / StrictMath.log(base));
    }
}
