package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.HugePages;
import io.tensorferry.verbs.config.NumaPlacement;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Asks the kernel for the location of the memory.
class PlacedMemoryTest {
    private static final long BYTES = 8L << 20;
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");

    private final Arena arena = Arena.ofShared();
    private final RecordingDomain domain = new RecordingDomain();

    @AfterEach
    void giveBack() {
        arena.close();
    }

    @Test
    void isUsualMemoryWhereNothingIsWanted() {
        assertThat(SlabMemory.of(domain, HugePages.NONE, NumaPlacement.ANYWHERE, 0))
                .isEqualTo(new DomainMemory(domain));
        assertThat(SlabMemory.of(domain, HugePages.AUTO, NumaPlacement.ANYWHERE, 0))
                .isEqualTo(SlabMemory.of(domain, HugePages.NONE, NumaPlacement.ANYWHERE, 0));
        assertThat(SlabMemory.of(domain, HugePages.NONE, NumaPlacement.OF_DEVICE, -1))
                .isEqualTo(new DomainMemory(domain));
    }

    @Test
    void liesOnTheDevicesNode() {
        assertThat(SlabMemory.of(domain, HugePages.NONE, NumaPlacement.OF_DEVICE, 3))
                .isEqualTo(new PlacedMemory(HugePages.NONE, 3));
        assertThat(SlabMemory.of(domain, HugePages.NONE, new NumaPlacement.Node(1), 3))
                .isEqualTo(new PlacedMemory(HugePages.NONE, 1));
    }

    @Test
    void liesInTransparentHugePages() throws IOException {
        assumeTrue(
                Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))
                        .matches("(?s).*\\[(always|madvise)\\].*"),
                "this kernel makes no transparent huge pages");
        MemorySegment memory = new PlacedMemory(HugePages.TRANSPARENT, -1).allocate(arena, BYTES - 100);
        assertThat(memory.byteSize()).isEqualTo(BYTES - 100);
        memory.fill((byte) 1);
        // The kernel may join its mapping with a neighbour's; the mapping must have huge pages.
        assertThat(bytesOf(memory, "AnonHugePages:")).isGreaterThanOrEqualTo(PlacedMemory.HUGE_PAGE_BYTES);
    }

    @Test
    void reservedHugePagesAreThereOrAnErrorSaysHowToGetThem() throws IOException {
        var reserved = new PlacedMemory(HugePages.RESERVED, -1);
        long free = Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("HugePages_Free:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .findFirst()
                .orElse(0);
        if (free * PlacedMemory.HUGE_PAGE_BYTES >= BYTES) {
            reserved.allocate(arena, BYTES).fill((byte) 1);
        } else {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> reserved.allocate(arena, BYTES))
                    .withMessageContaining("RDMA_HUGE_PAGES=reserved: fewer than 4 reserved huge pages")
                    .withMessageContaining("vm.nr_hugepages")
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED));
        }
    }

    @Test
    void liesOnTheNodeThatIsNamed() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/numa_maps")), "this kernel knows no NUMA nodes");
        MemorySegment memory = new PlacedMemory(HugePages.NONE, 0).allocate(arena, BYTES);
        memory.fill((byte) 1);
        String address = Long.toHexString(memory.address());
        assertThat(Files.readAllLines(Path.of("/proc/self/numa_maps")))
                .anySatisfy(line -> assertThat(line).startsWith(address).contains("prefer"));
    }

    @Test
    void aNodeThatIsNotThereIsNamed() {
        assumeTrue(Files.exists(Path.of("/proc/self/numa_maps")), "this kernel knows no NUMA nodes");
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> new PlacedMemory(HugePages.NONE, 1023).allocate(arena, BYTES))
                .withMessageContaining("RDMA_NUMA_NODE=1023 cannot be applied");
    }

    @Test
    void isZeroedAndGoesBackWithItsArena() throws IOException {
        MemorySegment memory;
        try (Arena own = Arena.ofShared()) {
            memory = new PlacedMemory(HugePages.TRANSPARENT, -1).allocate(own, BYTES);
            assertThat(memory.mismatch(MemorySegment.ofArray(new byte[(int) BYTES])))
                    .isEqualTo(-1);
            assertThat(mapping(memory)).isNotEmpty();
        }
        assertThat(mapping(memory)).isEmpty();
    }

    private static long bytesOf(MemorySegment memory, String what) throws IOException {
        return mapping(memory).stream()
                .filter(line -> line.startsWith(what))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .sum();
    }

    /// The kernel's lines about the mapping that contains the memory; empty if there is none.
    private static List<String> mapping(MemorySegment memory) throws IOException {
        List<String> lines = Files.readAllLines(MAPPINGS);
        for (int i = 0; i < lines.size(); i++) {
            String[] range = lines.get(i).split("[- ]", 3);
            if (lines.get(i).matches("[0-9a-f]+-[0-9a-f]+ .*")
                    && Long.parseUnsignedLong(range[0], 16) <= memory.address()
                    && memory.address() < Long.parseUnsignedLong(range[1], 16)) {
                int end = i + 1;
                while (end < lines.size() && lines.get(end).matches("[A-Z].*")) {
                    end++;
                }
                return lines.subList(i, end);
            }
        }
        return List.of();
    }
}
