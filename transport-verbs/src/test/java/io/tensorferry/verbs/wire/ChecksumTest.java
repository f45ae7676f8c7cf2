package io.tensorferry.verbs.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class ChecksumTest {
    @Test
    void itIsCrc32c() {
        // The check value that every catalogue of CRCs gives for CRC-32C.
        assertThat(Checksum.of(MemorySegment.ofArray("123456789".getBytes(US_ASCII))))
                .isEqualTo(0xe3069283L);
        assertThat(Checksum.of(MemorySegment.NULL)).isZero();
    }

    @Property(tries = 200)
    void slicesMakeNoDifference(@ForAll byte[] content, @ForAll @IntRange(min = 1, max = 50) int sliceBytes) {
        var expected = new CRC32C();
        expected.update(content);
        try (var arena = Arena.ofConfined()) {
            MemorySegment offHeap = arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
            assertThat(Checksum.of(offHeap, sliceBytes)).isEqualTo(expected.getValue());
            assertThat(Checksum.of(offHeap)).isEqualTo(expected.getValue());
        }
    }

    @Property(tries = 200)
    void piecesMakeNoDifference(@ForAll byte[] content, @ForAll @IntRange(min = 1, max = 50) int pieceBytes) {
        var inPieces = new Checksum();
        for (int from = 0; from < content.length; from += pieceBytes) {
            int length = Math.min(pieceBytes, content.length - from);
            inPieces.add(MemorySegment.ofArray(content).asSlice(from, length));
        }
        assertThat(inPieces.value()).isEqualTo(Checksum.of(MemorySegment.ofArray(content)));
    }
}
