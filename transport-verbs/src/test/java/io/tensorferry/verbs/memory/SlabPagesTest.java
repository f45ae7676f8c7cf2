package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.PageMemory;
import io.tensorferry.verbs.device.AccessFlag;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// The pages of a slab are populated before its registration.
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class SlabPagesTest {
    private static final long BYTES = 100L << 20;
    private static final int EINVAL = 22;

    @BeforeEach
    void theKernelKnowsThis() {
        try (var call = new NativeCall();
                Arena arena = Arena.ofShared()) {
            MemorySegment page = PageMemory.map(call, arena, 4096, false);
            assumeTrue(
                    PageMemory.populate(call, page) == 0 || call.errno() != EINVAL, "this kernel is older than 5.14");
        }
    }

    /// The resident bytes of this process, of all kinds.
    private static long residentBytes() throws IOException {
        String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ");
        return Long.parseLong(pages[1]) * 4096;
    }

    @Test
    void allPagesOfASlabAreThereAndItsContentStays() throws IOException {
        try (var call = new NativeCall();
                Arena arena = Arena.ofShared()) {
            MemorySegment slab = PageMemory.map(call, arena, BYTES, false);
            slab.set(ValueLayout.JAVA_BYTE, BYTES - 1, (byte) 7);
            long before = residentBytes();
            SlabPages.populate(slab);
            assertThat(residentBytes() - before).isGreaterThan(BYTES / 2);
            assertThat(slab.get(ValueLayout.JAVA_BYTE, 0)).isZero();
            assertThat(slab.get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo((byte) 7);
        }
    }

    @Test
    void aLargeSlabIsPopulatedBeforeItIsRegistered() throws IOException {
        long before = residentBytes();
        SlabMemory mapped = (arena, bytes) -> {
            try (var call = new NativeCall()) {
                return PageMemory.map(call, arena, bytes, false);
            }
        };
        var registrar = new MemoryRegistrar(new RecordingDomain(), EnumSet.of(AccessFlag.LOCAL_WRITE));
        SlabStorage slab = new HostSlabs(mapped, registrar).open(SlabPages.LEAST_BYTES);
        long populated = residentBytes() - before;
        slab.deregister();
        slab.free();
        assertThat(populated).isGreaterThan(SlabPages.LEAST_BYTES / 2);
    }

    @Test
    @SuppressWarnings("restricted") // an address of nobody's
    void memoryThatIsNotThereIsExhaustion() {
        // Below the lowest address that the kernel maps.
        MemorySegment none = MemorySegment.ofAddress(1 << 14).reinterpret(1 << 14);
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> SlabPages.populate(none))
                .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED))
                .withMessageContaining("a slab of 16384 bytes");
    }

    @Test
    void anInterruptIsKept() {
        try (var call = new NativeCall();
                Arena arena = Arena.ofShared()) {
            MemorySegment slab = PageMemory.map(call, arena, BYTES, false);
            Thread.currentThread().interrupt();
            SlabPages.populate(slab);
            assertThat(Thread.interrupted()).isTrue();
        }
    }
}
