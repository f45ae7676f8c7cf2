package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.AccessFlag;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Memory that peers may read, and memory that is obtained without a registration.
class ReadableMemoryTest {
    private static final MemoryOptions OPTIONS = new MemoryOptions(1 << 16, MemoryOptions.UNLIMITED);

    private final RecordingDomain domain = new RecordingDomain();
    private RegisteredMemory memory = new RegisteredMemory(domain, OPTIONS);

    @AfterEach
    void close() {
        memory.close();
        assertThat(domain.open()).isEmpty();
    }

    @Test
    void whatPeersReadHasSlabsOfItsOwn() {
        try (Tensor tensor = memory.allocator().allocate(DataType.FLOAT, Shape.of(10));
                Tensor readable = memory.readableAllocator().allocate(DataType.FLOAT, Shape.of(10))) {
            long plain = tensor.segment().address();
            long read = readable.segment().address();
            assertThat(memory.regionOf(plain, 40)).isSameAs(domain.open().getFirst());
            assertThat(memory.readableRegionOf(plain, 40)).isNull();
            assertThat(memory.regionOf(read, 40)).isSameAs(domain.open().get(1));
            assertThat(memory.readableRegionOf(read, 40)).isSameAs(domain.open().get(1));
            assertThat(domain.open().getFirst().access()).doesNotContain(AccessFlag.REMOTE_READ);
            assertThat(domain.open().get(1).access()).contains(AccessFlag.REMOTE_READ);
            assertThat(memory.statistics().bytesInUse()).isEqualTo(128);
            assertThat(memory.statistics().slabs()).isEqualTo(2);
        }
        assertThat(memory.statistics().bytesInUse()).isZero();
    }

    /// Then a window opens the memory to read, and no slab is open by itself.
    @Test
    void withAKeyForEachRequestAnyMemoryCanBeRead() {
        RdmaConfig config =
                RdmaConfig.builder().rkeyScope(RemoteKeyScope.REQUEST).build();
        memory = new RegisteredMemory(domain, OPTIONS, config, -1, "device");
        try (Tensor tensor = memory.allocator().allocate(DataType.FLOAT, Shape.of(10));
                Tensor readable = memory.readableAllocator().allocate(DataType.FLOAT, Shape.of(10))) {
            assertThat(memory.readableRegionOf(tensor.segment().address(), 40)).isNotNull();
            assertThat(memory.readableRegionOf(readable.segment().address(), 40))
                    .isNotNull();
            assertThat(domain.open())
                    .singleElement()
                    .satisfies(region -> assertThat(region.access())
                            .containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND));
            assertThat(memory.statistics().bytesInUse()).isEqualTo(128);
        }
    }

    @Test
    void memoryOfAUserCanBeOpenedForReadingAlone() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(1000);
            Registration registration = memory.registerReadable(segment);
            assertThat(domain.open().getFirst().access())
                    .containsExactlyInAnyOrder(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
            assertThat(registration.region()).isSameAs(domain.open().getFirst());
            // It must not be found as memory that peers may write.
            assertThat(memory.regionOf(segment.address(), 1000)).isNull();
            assertThat(memory.statistics().userRegions()).isEqualTo(1);
            registration.close();
            assertThat(domain.open()).isEmpty();
        }
    }

    @Test
    void nothingIsRegisteredForReadingOnceTheMemoryIsClosed() {
        memory.close();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment segment = arena.allocate(1000);
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> memory.registerReadable(segment))
                    .satisfies(e -> assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION));
        }
    }

    @Test
    void whatTakesNoRegistrationIsThereAtOnce() {
        assertThat(memory.allocateIfThere(100)).as("there is no slab yet").isNull();
        memory.prepare();
        try (RegisteredBuffer buffer = memory.allocateIfThere(100)) {
            assertThat(buffer).isNotNull();
            assertThat(memory.allocateIfThere(1 << 16)).as("the slab is in use").isNull();
        }
        assertThat(memory.allocateIfThere(1 << 20)).as("it takes a new slab").isNull();
        assertThat(memory.allocateIfThere(Long.MAX_VALUE)).isNull();
        assertThat(domain.registrations()).isEqualTo(1);
    }
}
