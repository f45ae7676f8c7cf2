package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.it.process.Place;
import io.tensorferry.it.soak.Holdings;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What libibverbs or the kernel refuses is a clear error, and leaves nothing behind.
@DeviceTests(kind = "device", on = On.NAMED)
class IbverbsRefusalTest extends DeviceContract {
    private static final Place HERE = Place.of(0);
    private static final int TIMES = 20;
    private static final int PAGE = 4096;
    private static final Set<AccessFlag> ACCESS = Set.of(AccessFlag.values());
    // No device lets windows be bound to a dmabuf, which is found out before the file is.
    private static final Set<AccessFlag> WITHOUT_WINDOWS =
            Set.copyOf(EnumSet.complementOf(EnumSet.of(AccessFlag.MW_BIND)));

    @BeforeAll
    static void isThereADevice() {
        IbverbsDeviceContractTest.isThereADevice();
    }

    @Override
    DevicePairFixture open() {
        return OpenedDevices.two(HERE);
    }

    /// The driver of Soft-RoCE does not know dmabufs. Where the driver does, it is the file that is wrong: it is open,
    /// and no dmabuf.
    @Test
    void aFileThatIsNoDmabufIsNotRegistered() throws IOException {
        makeEndpoints(settings -> {});
        try (var _ = Files.newByteChannel(Path.of("/proc/self/maps"))) {
            int file = descriptorOf("/maps");
            assertRefused(
                    "ibv_reg_dmabuf_mr",
                    fixture.isSoftRoce()
                            ? List.of(VerbsException.EOPNOTSUPP)
                            : List.of(VerbsException.EOPNOTSUPP, VerbsException.EINVAL, VerbsException.EBADF),
                    () -> one.domain.registerDmabuf(file, 0, PAGE, PAGE * 16L, WITHOUT_WINDOWS));
        }
    }

    private static int descriptorOf(String end) throws IOException {
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return descriptors
                    .filter(entry -> target(entry).endsWith(end))
                    .map(entry -> Integer.parseInt(entry.getFileName().toString()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void memoryThatCannotBePinnedIsNotRegistered(@TempDir Path directory) throws IOException {
        makeEndpoints(settings -> {});
        Path file = directory.resolve("file");
        try (var channel = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var arena = Arena.ofShared()) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, PAGE, arena);
            // Now the page is beyond the end of the file, so no access to it succeeds.
            channel.truncate(0);
            assertRefused(
                    "ibv_reg_mr",
                    List.of(VerbsException.EFAULT, VerbsException.ENOMEM),
                    () -> one.domain.register(mapped, ACCESS));
        }
    }

    private static void assertRefused(String verb, List<Integer> errnos, ThrowingCallable call) {
        // What is opened once is open after this.
        assertRefusedOnce(verb, errnos, call);
        Holdings.now(HERE.device());

        Holdings before = Holdings.now(HERE.device());
        for (int i = 0; i < TIMES; i++) {
            assertRefusedOnce(verb, errnos, call);
        }
        assertThat(Holdings.now(HERE.device())).isEqualTo(before);
    }

    private static void assertRefusedOnce(String verb, List<Integer> errnos, ThrowingCallable call) {
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(call)
                .withMessageStartingWith(verb + " failed with E")
                .satisfies(failure ->
                        assertThat(failure.errno()).as(failure.getMessage()).isIn(errnos));
    }
}
