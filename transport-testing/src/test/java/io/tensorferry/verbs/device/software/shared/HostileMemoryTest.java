package io.tensorferry.verbs.device.software.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.SoftwareEnd;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A process of the same user may write anything into the files that two devices share. It can end queue pairs, and
/// write where a key allows it, and nothing else.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HostileMemoryTest {
    private static final long SEED = 77;
    private static final int ROUNDS = Integer.getInteger("hostile.rounds", 12);
    private static final int SELF = (int) ProcessHandle.current().pid();

    private final SoftwareProvider provider =
            new SoftwareProvider(SoftwareOptions.defaults().withCarrier(SoftCarrier.SHARED));
    private VerbsDevice first;
    private VerbsDevice second;

    @BeforeEach
    void open() {
        first = provider.open("soft0");
        second = provider.open("soft0");
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    /// The files of this process with this name, as another process finds them.
    private static List<Integer> descriptors(String name) throws IOException {
        List<Integer> found = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path path : all) {
                if (Files.isSymbolicLink(path)
                        && Files.readSymbolicLink(path).toString().contains(name)) {
                    found.add(Integer.valueOf(path.getFileName().toString()));
                }
            }
        }
        return found;
    }

    /// The rings of this round. The device's thread closes those of earlier rounds at any time, so their descriptors
    /// may
    /// be gone, or belong to another file, when they are opened.
    private static List<Integer> ringsSince(List<Integer> before) throws IOException {
        List<Integer> rings = descriptors("tensorferry-ring");
        rings.removeAll(before);
        return rings;
    }

    private void assertStillWorks() {
        try (var one = new SoftwareEnd(first, 1 << 20, 256);
                var other = new SoftwareEnd(second, 1 << 20, 256)) {
            SoftwareEnd.connect(one, other);
            one.memory.fill((byte) 5);
            one.write(1, 1 << 20, other);
            one.await(1);
            assertThat(one.statuses).containsOnly(WorkStatus.SUCCESS);
            assertThat(other.memory.mismatch(one.memory)).isEqualTo(-1);
        }
    }

    @Test
    void garbageInARingEndsItsQueuePairsOnly() throws IOException {
        var random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            List<Integer> before = descriptors("tensorferry-ring");
            try (var one = new SoftwareEnd(first, 65_536, 256);
                    var other = new SoftwareEnd(second, 65_536, 256);
                    Arena arena = Arena.ofShared()) {
                SoftwareEnd.connect(one, other);
                one.write(1, 16, other);
                one.await(1);
                for (int descriptor : ringsSince(before)) {
                    MemorySegment ring = MemoryFile.open(SELF, descriptor, true, arena);
                    for (int i = 0; i < 200; i++) {
                        long at = random.nextInt(12_288 / 8) * 8L;
                        ring.set(
                                ValueLayout.JAVA_LONG,
                                at,
                                random.nextBoolean() ? random.nextLong() : random.nextInt(4));
                    }
                }
                for (int i = 0; i < 8 && one.queuePair.state().name().equals("RTS"); i++) {
                    one.write(2, 16, other);
                    one.polled(1);
                    other.polled(1);
                }
            }
        }
        assertStillWorks();
    }

    @Test
    void everyFieldOfARequestIsChecked() throws IOException {
        var random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            List<Integer> before = descriptors("tensorferry-ring");
            try (var one = new SoftwareEnd(first, 65_536, 256);
                    var other = new SoftwareEnd(second, 65_536, 256);
                    Arena arena = Arena.ofShared()) {
                SoftwareEnd.connect(one, other);
                one.write(1, 4096, other);
                one.await(1);
                other.memory.fill((byte) 0);
                for (int descriptor : ringsSince(before)) {
                    MemorySegment ring = MemoryFile.open(SELF, descriptor, true, arena);
                    // The request in the next place: a write with the right key that claims to lie in a file.
                    long at = RingFile.request(1);
                    ring.set(ValueLayout.JAVA_INT, at, 1 | RingFile.IN_FILE);
                    ring.set(ValueLayout.JAVA_INT, at + 4, 78);
                    ring.set(ValueLayout.JAVA_INT, at + 8, other.region.remoteKey());
                    ring.set(ValueLayout.JAVA_LONG, at + 16, other.region.address());
                    ring.set(ValueLayout.JAVA_LONG, at + 24, 1 + random.nextInt(65_536));
                    ring.set(ValueLayout.JAVA_LONG, at + 32, random.nextBoolean() ? random.nextLong() : 0);
                    ring.set(ValueLayout.JAVA_INT, at + 40, random.nextBoolean() ? random.nextInt() : 0);
                    ring.set(ValueLayout.JAVA_LONG, at + 48, random.nextLong());
                    ring.set(ValueLayout.JAVA_LONG, 64, 2);
                }
                for (int descriptor : descriptors("tensorferry-device")) {
                    MemorySegment device = MemoryFile.open(SELF, descriptor, true, arena);
                    device.set(ValueLayout.JAVA_LONG, 4096, -1);
                    device.set(ValueLayout.JAVA_LONG, 64, 1);
                }
                // The peer ends the connection. A write before that would take the place of the request, a part of it
                // perhaps while the peer reads the rest.
                one.await(
                        () -> {
                            other.polled(0);
                            return one.queuePair.way().isEmpty();
                        },
                        "end of the connection, seed " + SEED + ", round " + round);
                assertThat(other.memory.mismatch(MemorySegment.ofArray(new byte[65_536])))
                        .as("nothing came, seed %d, round %d", SEED, round)
                        .isEqualTo(-1);
                one.write(2, 16, other);
                one.await(2);
                assertThat(one.statuses).containsExactly(WorkStatus.SUCCESS, WorkStatus.RETRY_EXC_ERR);
            }
        }
        assertStillWorks();
    }

    @Test
    void garbageOnADeviceDelaysAndNothingElse() throws IOException {
        var random = new Random(SEED);
        try (var one = new SoftwareEnd(first, 65_536, 256);
                var other = new SoftwareEnd(second, 65_536, 256);
                Arena arena = Arena.ofShared()) {
            SoftwareEnd.connect(one, other);
            List<MemorySegment> devices = new ArrayList<>();
            for (int descriptor : descriptors("tensorferry-device")) {
                devices.add(MemoryFile.open(SELF, descriptor, true, arena));
            }
            assertThat(devices).hasSizeGreaterThanOrEqualTo(2);
            for (int round = 0; round < 20; round++) {
                for (MemorySegment device : devices) {
                    for (long at = 64; at < 8192; at += 8) {
                        device.set(ValueLayout.JAVA_LONG, at, random.nextLong());
                    }
                    // The ring claims that no thread sleeps.
                    device.set(ValueLayout.JAVA_INT, 128, 0);
                }
                one.write(round, 65_536, other);
                one.await(round + 1);
            }
            assertThat(one.statuses).containsOnly(WorkStatus.SUCCESS);
        }
        assertStillWorks();
    }

    @Test
    void slabsAndTheirTableCannotBeWrittenByOthers() throws IOException {
        try (var _ = new SoftwareEnd(first, 65_536, 16);
                Arena arena = Arena.ofShared()) {
            List<Integer> readOnly = new ArrayList<>(descriptors("tensorferry-slab"));
            readOnly.addAll(descriptors("tensorferry-files"));
            assertThat(readOnly).hasSizeGreaterThanOrEqualTo(2);
            for (int descriptor : readOnly) {
                MemorySegment slab = MemoryFile.open(SELF, descriptor, false, arena);
                assertThat(slab.byteSize()).isPositive();
                assertThatExceptionOfType(IOException.class)
                        .isThrownBy(() -> MemoryFile.open(SELF, descriptor, true, arena));
            }
        }
    }
}
