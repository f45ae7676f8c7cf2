package io.tensorferry.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class MemoryFileTest {
    private static final int SELF = (int) ProcessHandle.current().pid();

    @Test
    void whatOneWritesTheOtherReads() throws IOException {
        try (Arena owner = Arena.ofShared();
                Arena peer = Arena.ofShared()) {
            MemoryFile file = MemoryFile.create("test", 8192, true, owner);
            MemorySegment mapped = MemoryFile.open(SELF, file.descriptor(), true, peer);
            assertThat(mapped.byteSize()).isEqualTo(8192);
            assertThat(mapped.address()).isNotEqualTo(file.memory().address());
            file.memory().set(ValueLayout.JAVA_LONG, 4096, 77);
            assertThat(mapped.get(ValueLayout.JAVA_LONG, 4096)).isEqualTo(77);
            mapped.set(ValueLayout.JAVA_LONG, 0, 78);
            assertThat(file.memory().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(78);
        }
    }

    @Test
    void onlyTheFileThatIsMeantIsMapped() throws IOException {
        try (Arena owner = Arena.ofShared();
                Arena peer = Arena.ofShared()) {
            MemoryFile meant = MemoryFile.create("test", 4096, true, owner);
            MemoryFile other = MemoryFile.create("test", 4096, true, owner);
            long inode = meant.inode();
            assertThat(MemoryFile.open(SELF, meant.descriptor(), inode, true, peer)
                            .byteSize())
                    .isEqualTo(4096);
            assertThatThrownBy(() -> MemoryFile.open(SELF, other.descriptor(), inode, true, peer))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("not the file with inode " + inode);
        }
    }

    @Test
    void anotherDescriptorOutlivesTheFirst() throws IOException {
        OwnedDescriptor copy;
        try (Arena owner = Arena.ofShared()) {
            MemoryFile file = MemoryFile.create("test", 4096, true, owner);
            file.memory().set(ValueLayout.JAVA_LONG, 8, 79);
            copy = file.duplicate();
            assertThat(copy.number()).isNotEqualTo(file.descriptor());
        }
        try (Arena peer = Arena.ofShared()) {
            MemorySegment mapped = MemoryFile.open(SELF, copy.number(), true, peer);
            copy.close();
            assertThat(mapped.get(ValueLayout.JAVA_LONG, 8)).isEqualTo(79);
        }
        assertThat(Path.of("/proc/self/fd/" + copy.number())).doesNotExist();
    }

    @Test
    void aFileThatOthersOnlyReadCannotBeMappedForWriting() throws IOException {
        try (Arena owner = Arena.ofShared();
                Arena peer = Arena.ofShared()) {
            MemoryFile file = MemoryFile.create("test", 4096, false, owner);
            assertThat(MemoryFile.open(SELF, file.descriptor(), false, peer).byteSize())
                    .isEqualTo(4096);
            assertThatThrownBy(() -> MemoryFile.open(SELF, file.descriptor(), true, peer))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("mmap");
            // Its owner still writes.
            file.memory().set(ValueLayout.JAVA_LONG, 0, 1);
        }
    }

    @Test
    void nobodyCutsIt() throws IOException {
        try (Arena owner = Arena.ofShared()) {
            MemoryFile file = MemoryFile.create("test", 4096, true, owner);
            Path path = Path.of("/proc/self/fd/" + file.descriptor());
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                assertThatThrownBy(() -> channel.truncate(0)).isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void otherFilesAreNotMapped(@TempDir Path directory) throws IOException {
        Path ordinary = Files.write(directory.resolve("file"), new byte[4096]);
        try (FileChannel channel = FileChannel.open(ordinary);
                Arena arena = Arena.ofShared()) {
            assertThat(channel.isOpen()).isTrue();
            for (int descriptor = 0; descriptor < 200; descriptor++) {
                int number = descriptor;
                assertThatThrownBy(() -> MemoryFile.open(SELF, number, false, arena))
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void theDescriptorEndsWithTheArena() throws IOException {
        int descriptor;
        try (Arena owner = Arena.ofShared()) {
            descriptor = MemoryFile.create("test-ended", 4096, true, owner).descriptor();
            assertThat(Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)))
                    .asString()
                    .contains("test-ended");
        }
        Path path = Path.of("/proc/self/fd/" + descriptor);
        assertThat(Files.exists(path) && Files.readSymbolicLink(path).toString().contains("test-ended"))
                .isFalse();
    }

    @Test
    void aWordWakesItsSleeper() throws Exception {
        try (Arena owner = Arena.ofShared();
                var futex = new Futex()) {
            MemorySegment word =
                    MemoryFile.create("test", 4096, true, owner).memory().asSlice(64, 4);
            var handle = ValueLayout.JAVA_INT.varHandle();
            Thread sleeper = Thread.ofPlatform().start(() -> {
                while ((int) handle.getVolatile(word, 0L) == 0) {
                    futex.await(word, 0, TimeUnit.HOURS.toNanos(1));
                }
            });
            handle.setVolatile(word, 0L, 1);
            Futex.wake(word);
            sleeper.join();
            // Not the expected value: no sleep. No time: no sleep either.
            futex.await(word, 0, TimeUnit.HOURS.toNanos(1));
            futex.await(word, 1, 1);
        }
    }

    @Test
    void otherSystemsSayWhyNot() {
        assertThat(MemoryFile.obstacle("Linux", "amd64")).isNull();
        assertThat(MemoryFile.obstacle("Linux", "aarch64")).isNull();
        assertThat(MemoryFile.obstacle("Mac OS X", "aarch64")).contains("Mac OS X");
        assertThat(MemoryFile.obstacle("Linux", "riscv64")).contains("riscv64");
    }
}
