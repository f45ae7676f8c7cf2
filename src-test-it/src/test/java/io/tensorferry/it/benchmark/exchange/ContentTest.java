package io.tensorferry.it.benchmark.exchange;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContentTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8, 9, 4096, 5003})
    void anyByteThatDiffersIsFound(int bytes) {
        MemorySegment segment = MemorySegment.ofArray(new byte[bytes]);
        Content.fill(segment);
        assertThatNoException().isThrownBy(() -> Content.check(segment, bytes));

        for (int i = 0; i < bytes; i++) {
            byte right = segment.get(ValueLayout.JAVA_BYTE, i);
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (right + 1));
            assertThatIllegalStateException().isThrownBy(() -> Content.check(segment, bytes));
            segment.set(ValueLayout.JAVA_BYTE, i, right);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 4095, 4097})
    void anotherLengthIsFound(long bytes) {
        MemorySegment segment = MemorySegment.ofArray(new byte[4096]);
        Content.fill(segment);

        assertThatIllegalStateException().isThrownBy(() -> Content.check(segment, bytes));
    }

    @ParameterizedTest
    @ValueSource(longs = {4088, 4096})
    void theContentOfAnotherLengthIsFound(long bytes) {
        MemorySegment longer = MemorySegment.ofArray(new byte[8192]);
        Content.fill(longer);

        assertThatIllegalStateException().isThrownBy(() -> Content.check(longer.asSlice(0, bytes), bytes));
    }
}
