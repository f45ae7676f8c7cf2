package io.tensorferry.verbs.device.software.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeyTableTest {
    @Test
    void findsEveryOpenRegionAndNoClosedOne() {
        var random = new Random(5);
        VerbsDevice device = new SoftwareProvider(SoftwareOptions.defaults().withCarrier(SoftCarrier.TCP))
                .open(SoftwareProvider.DEVICE);
        ProtectionDomain domain = device.allocateProtectionDomain();
        KeyTable table = ((SoftwareDevice) device).keys();
        MemorySegment memory = Arena.ofAuto().allocate(64);
        List<MemoryRegion> open = new ArrayList<>();
        List<MemoryRegion> closed = new ArrayList<>();
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            if (open.size() < 500 && random.nextBoolean()) {
                MemoryRegion region = domain.register(memory, Set.of(AccessFlag.LOCAL_WRITE));
                open.add(region);
                keys.add(region.remoteKey());
            } else if (!open.isEmpty()) {
                MemoryRegion region = open.remove(random.nextInt(open.size()));
                region.close();
                closed.add(region);
            }
        }
        var own = (SoftwareProtectionDomain) domain;
        assertThat(open)
                .allSatisfy(region -> assertThat(
                                table.find(region.remoteKey(), own, memory.address(), 64, AccessFlag.LOCAL_WRITE))
                        .isSameAs(region));
        assertThat(closed)
                .allSatisfy(region -> assertThat(table.find(region.remoteKey(), own, memory.address(), 64, null))
                        .isNull());
        assertThat(keys).as("keys in use at the same time differ").hasSizeGreaterThan(closed.size() - 10);
        open.forEach(MemoryRegion::close);
        domain.close();
        device.close();
    }
}
