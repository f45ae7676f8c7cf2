package io.tensorferry.verbs.device.software.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.bindings.MemoryFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A device's memory files, as the device and its peer find them.
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class MemoryFilesTest {
    private static final int SELF = (int) ProcessHandle.current().pid();
    private static final long DEVICE = 4711;
    private static final long BYTES = 16_384;

    private final Arena arena = Arena.ofShared();
    private FileTable files;
    private OwnFiles own;
    private PeerDevice seen;

    @BeforeEach
    void open() throws IOException {
        MemoryFile device = DeviceFile.create(DEVICE, arena);
        MemoryFile table = FileTable.create(DEVICE, arena);
        files = FileTable.of(table);
        own = new OwnFiles(files);
        var offer = new Offer(SELF, device.descriptor(), 0, DEVICE, 0, table.descriptor());
        seen = new PeerDevice(offer);
        seen.use();
        seen.readTable(offer);
    }

    @AfterEach
    void close() {
        seen.release();
        own.close();
        arena.close();
    }

    @Test
    void aRangeIsFoundWhereItLiesInOneFileAsAWhole() {
        try (Arena one = Arena.ofShared();
                Arena other = Arena.ofShared()) {
            long start = own.allocate(one, BYTES, 64).address();
            own.allocate(other, BYTES, 64);
            assertThat(own.find(start, BYTES)).isNotNull();
            assertThat(own.find(start + BYTES - 1, 1)).isNotNull();
            assertThat(own.find(start + BYTES - 1, 2)).isNull();
            assertThat(own.find(start + BYTES, 0)).matches(found -> found == null || found.start() != start);
            assertThat(own.find(start - 1, 1)).matches(found -> found == null || found.start() != start);
            assertThat(own.find(start, Long.MAX_VALUE)).isNull();
            assertThat(own.find(0, 1)).isNull();
            assertThat(own.find(-1, 1)).isNull();
        }
    }

    @Test
    void thePeerReadsWhatLiesInAFile() {
        try (Arena one = Arena.ofShared()) {
            MemorySegment memory = own.allocate(one, BYTES, 64);
            memory.set(ValueLayout.JAVA_LONG, 8192, 99);
            OwnFiles.Mapped file = Objects.requireNonNull(own.find(memory.address(), BYTES));
            MemorySegment mapped = Objects.requireNonNull(seen.memory(file.place(), file.number(), 8192, 8));
            assertThat(mapped.get(ValueLayout.JAVA_LONG, 8192)).isEqualTo(99);
            assertThat(seen.memory(file.place(), file.number(), 0, BYTES)).isSameAs(mapped);
        }
    }

    /// The owner closes the file after the peer has read the table and before it opens the descriptor.
    @Test
    void aDescriptorThatIsAnotherFileByNowIsNotMapped() throws IOException {
        Arena ended = Arena.ofShared();
        MemoryFile file = MemoryFile.create("tensorferry-slab", BYTES, false, ended);
        files.put(7, 1, file);
        ended.close();
        try (Arena later = Arena.ofShared()) {
            MemoryFile next = descriptorAgain(file.descriptor(), later);
            assertThat(next.descriptor()).isEqualTo(file.descriptor());
            assertThat(seen.memory(7, 1, 0, 8)).isNull();
            files.put(7, 2, next);
            assertThat(seen.memory(7, 1, 0, 8)).isNull();
            assertThat(seen.memory(7, 2, 0, 8)).isNotNull();
        }
    }

    /// A file with a number that has just become free. Other threads of this process open files too.
    private static MemoryFile descriptorAgain(int wanted, Arena arena) throws IOException {
        MemoryFile file;
        do {
            file = MemoryFile.create("tensorferry-slab", BYTES, false, arena);
        } while (file.descriptor() < wanted);
        return file;
    }

    @Test
    void thePeerGetsNothingBeyondAFile() {
        try (Arena one = Arena.ofShared()) {
            OwnFiles.Mapped file =
                    Objects.requireNonNull(own.find(own.allocate(one, BYTES, 64).address(), BYTES));
            long[][] bad = {{0, BYTES + 1}, {BYTES, 1}, {-1, 1}, {Long.MAX_VALUE, 2}, {1, Long.MAX_VALUE}};
            for (long[] range : bad) {
                assertThat(seen.memory(file.place(), file.number(), range[0], range[1]))
                        .isNull();
            }
            assertThat(seen.memory(-1, file.number(), 0, 1)).isNull();
            assertThat(seen.memory(FileTable.PLACES, file.number(), 0, 1)).isNull();
            assertThat(seen.memory(file.place() + 1, file.number(), 0, 1)).isNull();
            assertThat(seen.memory(file.place(), file.number() + 1, 0, 1)).isNull();
            assertThat(seen.memory(file.place(), 0, 0, 1)).isNull();
        }
    }

    @Test
    void aPlaceThatWasGivenToAnotherFileIsNoticed() {
        Arena first = Arena.ofShared();
        OwnFiles.Mapped old =
                Objects.requireNonNull(own.find(own.allocate(first, BYTES, 64).address(), BYTES));
        MemorySegment mapped = Objects.requireNonNull(seen.memory(old.place(), old.number(), 0, BYTES));
        first.close();
        assertThat(own.find(old.start(), 1)).isNull();
        try (Arena second = Arena.ofShared()) {
            MemorySegment memory = own.allocate(second, BYTES, 64);
            OwnFiles.Mapped young = Objects.requireNonNull(own.find(memory.address(), BYTES));
            assertThat(young.place()).isEqualTo(old.place());
            assertThat(young.number()).isNotEqualTo(old.number());
            assertThat(seen.memory(young.place(), young.number(), 0, BYTES)).isNotNull();
            assertThat(mapped.scope().isAlive())
                    .as("the old file is not held any more")
                    .isFalse();
            assertThat(seen.memory(old.place(), old.number(), 0, BYTES)).isNull();
        }
    }

    @Test
    void aFileThatIsGoneIsGivenBack() {
        Arena first = Arena.ofShared();
        OwnFiles.Mapped file =
                Objects.requireNonNull(own.find(own.allocate(first, BYTES, 64).address(), BYTES));
        MemorySegment mapped = Objects.requireNonNull(seen.memory(file.place(), file.number(), 0, BYTES));
        seen.forgetGone();
        assertThat(mapped.scope().isAlive()).isTrue();
        first.close();
        seen.forgetGone();
        assertThat(mapped.scope().isAlive()).isFalse();
    }

    @Test
    void memoryEndsAfterItsDevice() {
        Arena late = Arena.ofShared();
        own.allocate(late, BYTES, 64).fill((byte) 1);
        own.close();
        late.close();
        assertThat(late.scope().isAlive()).isFalse();
    }
}
