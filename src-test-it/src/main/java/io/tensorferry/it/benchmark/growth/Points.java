package io.tensorferry.it.benchmark.growth;

import java.util.List;
import java.util.stream.LongStream;

/// The points at which a cost is measured.
final class Points {
    private Points() {}

    /// 1, 10, 100 and so on, up to `most`.
    static List<Long> powersOfTen(long most) {
        return LongStream.iterate(1, each -> each <= most, each -> 10 * each)
                .boxed()
                .toList();
    }

    /// 1, 4, 16 and so on, up to `most`.
    static List<Long> powersOfFour(long most) {
        return LongStream.iterate(1, each -> each <= most, each -> 4 * each)
                .boxed()
                .toList();
    }

    /// Sizes in bytes, up to `most`, and `most` itself.
    static List<Long> sizes(long most) {
        return LongStream.concat(
                        LongStream.of(0, 1, 64, 1 << 10, 4 << 10, 64 << 10, 1 << 20, 16 << 20, 256 << 20),
                        LongStream.of(1L << 30, 4L << 30))
                .filter(each -> each <= most)
                .boxed()
                .toList();
    }
}
