package io.tensorferry.verbs.device.software;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DmaBuf;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.WorkStatus;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.Pipe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Memory that a simulated accelerator exports, as the software devices register it.
@Timeout(60)
class ExportedMemoryTest {
    /// The carrier of the bytes.
    enum Way {
        SIMULATED,
        TCP,
        SHARED
    }

    private static final int BYTES = 200_000;
    // No window can be bound to a dmabuf.
    private static final Set<AccessFlag> ALL = EnumSet.complementOf(EnumSet.of(AccessFlag.MW_BIND));

    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedFabric fabric = new SimulatedFabric(1);
    private SimulatedAccelerator gpu = gpu(NicWrites.VISIBLE);

    private SimulatedAccelerator gpu(NicWrites writes) {
        return new SimulatedAccelerator(
                0, time, 1, SimulatedAcceleratorOptions.defaults().withExport(writes));
    }

    @AfterEach
    void nothingIsLeft() {
        assertThat(gpu.leftOver()).isEmpty();
        assertThat(gpu.mistakes()).isEmpty();
        time.close();
    }

    private VerbsDevice open(Way way, String node) {
        VerbsProvider provider = switch (way) {
            case SIMULATED -> fabric.provider(node);
            case TCP -> new SoftwareProvider(SoftwareOptions.defaults().withCarrier(SoftCarrier.TCP));
            case SHARED -> new SoftwareProvider(SoftwareOptions.defaults().withCarrier(SoftCarrier.SHARED));
        };
        return provider.open(provider.deviceNames().getFirst());
    }

    private static MemoryRegion register(SoftwareEnd end, DeviceMemory memory, long offset, long bytes) {
        long address = memory.address() + offset;
        try (DmaBuf export = memory.device().export(address, bytes)) {
            return end.domain.registerDmabuf(export.fileDescriptor(), export.offset(), bytes, address, ALL);
        }
    }

    private void await(SoftwareEnd end, int count) {
        end.await(() -> end.polled(count) || (fabric.runNext() && end.polled(count)), count + " completions");
        assertThat(end.statuses).allMatch(WorkStatus.SUCCESS::equals);
    }

    @ParameterizedTest
    @EnumSource
    void aPeerWritesIntoItAndReadsOutOfIt(Way way) {
        try (VerbsDevice first = open(way, "one");
                VerbsDevice second = open(way, "two");
                DeviceMemory memory = gpu.allocate(BYTES);
                var peer = new SoftwareEnd(first, BYTES, 64);
                var end = new SoftwareEnd(second, 4096, 64);
                MemoryRegion region = register(end, memory, 0, BYTES)) {
            SoftwareEnd.connect(peer, end);
            var content = new byte[BYTES];
            Arrays.fill(content, (byte) 77);
            peer.memory.copyFrom(MemorySegment.ofArray(content));
            assertThat(region.address()).isEqualTo(memory.address()).isGreaterThan(1L << 59);
            peer.queuePair.postSend(new SendWorkRequest()
                    .write(
                            1,
                            peer.region.address(),
                            BYTES - 8,
                            peer.region.localKey(),
                            region.address() + 8,
                            region.remoteKey()));
            await(peer, 1);
            assertThat(gpu.peek(memory.address() + 8, BYTES - 8)).containsOnly(77);
            assertThat(gpu.peek(memory.address(), 8)).containsOnly(0);

            peer.queuePair.postSend(new SendWorkRequest()
                    .read(2, peer.region.address(), 16, peer.region.localKey(), region.address(), region.remoteKey()));
            await(peer, 2);
            assertThat(peer.memory.get(ValueLayout.JAVA_LONG, 0)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void itIsASourceOfWrites(Way way) {
        try (VerbsDevice first = open(way, "one");
                VerbsDevice second = open(way, "two");
                DeviceMemory memory = gpu.allocate(BYTES);
                var end = new SoftwareEnd(first, 4096, 64);
                var peer = new SoftwareEnd(second, BYTES, 64);
                MemoryRegion region = register(end, memory, 65_536, 100_000)) {
            SoftwareEnd.connect(end, peer);
            var content = new byte[BYTES];
            Arrays.fill(content, (byte) 78);
            gpu.poke(memory.address(), content);
            end.queuePair.postSend(new SendWorkRequest()
                    .write(
                            1,
                            region.address(),
                            region.byteSize(),
                            region.localKey(),
                            peer.region.address(),
                            peer.region.remoteKey()));
            await(end, 1);
            assertThat(peer.memory.asSlice(0, 100_000).toArray(ValueLayout.JAVA_BYTE))
                    .containsOnly(78);
            assertThat(peer.memory.get(ValueLayout.JAVA_BYTE, 100_000)).isZero();
        }
    }

    @Test
    void whatIsNotAllInTheFileIsRefused() {
        try (VerbsDevice device = open(Way.TCP, "one");
                var end = new SoftwareEnd(device, 4096, 64);
                DeviceMemory memory = gpu.allocate(BYTES);
                DmaBuf export = gpu.export(memory.address(), BYTES)) {
            int file = export.fileDescriptor();
            for (long[] wrong : new long[][] {{0, BYTES + 1}, {4096, BYTES}, {1L << 40, 4096}, {0, 1L << 31}}) {
                assertThatExceptionOfType(VerbsException.class)
                        .isThrownBy(() -> end.domain.registerDmabuf(file, wrong[0], wrong[1], memory.address(), ALL))
                        .satisfies(failure -> assertThat(failure.errno()).isEqualTo(VerbsException.EINVAL))
                        .withMessageContaining(Long.toString(wrong[1]));
            }
            end.domain.registerDmabuf(file, 0, BYTES, memory.address(), ALL).close();
        }
        assertThatThrownBy(() -> gpu.export(1L << 60, 1)).isInstanceOf(IllegalStateException.class);
        assertThat(gpu.mistakes()).hasSize(1);
        gpu = gpu(NicWrites.VISIBLE);
    }

    /// A file that can be truncated could crash the process.
    @Test
    void onlyAFileThatKeepsItsSizeIsTaken() throws IOException {
        Path path = Files.createTempFile("tensorferry", null);
        try (VerbsDevice device = open(Way.TCP, "one");
                var end = new SoftwareEnd(device, 4096, 64);
                var _ = Files.newByteChannel(path);
                Arena arena = Arena.ofShared()) {
            Files.write(path, new byte[8192]);
            assertRefused(end, descriptorOf(path.toString()));
            Pipe pipe = Pipe.open();
            assertRefused(end, descriptorOf("pipe:"));
            pipe.source().close();
            pipe.sink().close();
            assertRefused(end, 1_000_000);
            assertRefused(
                    end, MemoryFile.create("read only", 8192, false, arena).descriptor());
        } finally {
            Files.delete(path);
        }
    }

    private static void assertRefused(SoftwareEnd end, int file) {
        assertThatExceptionOfType(VerbsException.class)
                .isThrownBy(() -> end.domain.registerDmabuf(file, 0, 4096, 1L << 60, ALL))
                .satisfies(failure -> assertThat(failure.errno()).isEqualTo(VerbsException.EOPNOTSUPP))
                .withMessageStartingWith("ibv_reg_dmabuf_mr failed with EOPNOTSUPP");
    }

    private static int descriptorOf(String target) throws IOException {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(file -> Files.isSymbolicLink(file) && target(file).startsWith(target))
                    .mapToInt(file -> Integer.parseInt(file.getFileName().toString()))
                    .max()
                    .orElseThrow();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException _) {
            return "";
        }
    }

    @Test
    void memoryOfOthersHasNoAddressHere() {
        try (VerbsDevice device = open(Way.TCP, "one");
                var end = new SoftwareEnd(device, 4096, 64)) {
            assertThatExceptionOfType(VerbsException.class)
                    .isThrownBy(() -> end.domain.registerAddress(1L << 60, 4096, ALL))
                    .satisfies(failure -> assertThat(failure.errno()).isEqualTo(VerbsException.EOPNOTSUPP));
            for (long[] wrong : new long[][] {{0, 1}, {1, 0}, {-1, 1}, {Long.MAX_VALUE, 1}}) {
                assertThatThrownBy(() -> end.domain.registerAddress(wrong[0], wrong[1], ALL))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    /// The content of a copy that is queued after a peer's write.
    @ParameterizedTest
    @EnumSource
    void writesAreThereAsTheAcceleratorSays(NicWrites writes) {
        gpu = gpu(writes);
        try (VerbsDevice first = open(Way.SIMULATED, "one");
                VerbsDevice second = open(Way.SIMULATED, "two");
                DeviceMemory memory = gpu.allocate(4096);
                var peer = new SoftwareEnd(first, 4096, 64);
                var end = new SoftwareEnd(second, 4096, 64);
                MemoryRegion region = register(end, memory, 0, 4096)) {
            SoftwareEnd.connect(peer, end);
            peer.memory.fill((byte) 5);
            gpu.poke(memory.address(), new byte[] {1, 1, 1, 1});
            peer.queuePair.postSend(new SendWorkRequest()
                    .write(1, peer.region.address(), 2, peer.region.localKey(), region.address(), region.remoteKey()));
            await(peer, 1);
            byte[] before = gpu.peek(memory.address(), 4);
            switch (writes) {
                case VISIBLE -> assertThat(before).containsExactly(5, 5, 1, 1);
                case UNUSABLE -> assertThat(before).containsExactly(1, 1, 1, 1);
                case AFTER_FLUSH -> {
                    assertThat(before).containsExactly(1, 1, 1, 1);
                    gpu.flushNicWrites();
                    assertThat(gpu.peek(memory.address(), 4)).containsExactly(5, 5, 1, 1);
                }
            }
        }
    }

    @Test
    void whatIsNotExportableSaysSo() {
        var plain = new SimulatedAccelerator(1, time, 1, SimulatedAcceleratorOptions.defaults());
        try (DeviceMemory memory = plain.allocate(4096)) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> plain.export(memory.address(), 4096))
                    .withMessageContaining("GPU:1 exports no memory")
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.UNIMPLEMENTED));
        }
    }
}
