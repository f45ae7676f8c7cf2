package io.tensorferry.verbs.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.testing.Property;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(10)
class ChecksumTest {
    @Test
    void itIsCrc32c() {
        // The check value of CRC-32C in every catalogue of CRCs.
        assertThat(Checksum.of(MemorySegment.ofArray("123456789".getBytes(US_ASCII))))
                .isEqualTo(0xe3069283L);
        assertThat(Checksum.of(MemorySegment.NULL)).isZero();
    }

    @Test
    void slicesMakeNoDifference() {
        Property.check(200, draw -> {
            byte[] content = draw.bytes(255);
            int sliceBytes = draw.intOf(1, 50);
            var expected = new CRC32C();
            expected.update(content);
            try (var arena = Arena.ofConfined()) {
                MemorySegment offHeap = arena.allocateFrom(ValueLayout.JAVA_BYTE, content);
                assertThat(Checksum.of(offHeap, sliceBytes)).isEqualTo(expected.getValue());
                assertThat(Checksum.of(offHeap)).isEqualTo(expected.getValue());
            }
        });
    }

    @Test
    void piecesMakeNoDifference() {
        Property.check(200, draw -> {
            byte[] content = draw.bytes(255);
            int pieceBytes = draw.intOf(1, 50);
            var inPieces = new Checksum();
            for (int from = 0; from < content.length; from += pieceBytes) {
                int length = Math.min(pieceBytes, content.length - from);
                inPieces.add(MemorySegment.ofArray(content).asSlice(from, length));
            }
            assertThat(inPieces.value()).isEqualTo(Checksum.of(MemorySegment.ofArray(content)));
        });
    }
}
