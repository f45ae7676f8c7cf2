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
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class KeyTableTest {
    /// The low 8 bits of a window's key change.
    private static final int COUNTED_BITS = 8;

    private static final int WINDOWS_AT_ONCE = 200;

    private static VerbsDevice device() {
        return new SoftwareProvider(SoftwareOptions.defaults().withCarrier(SoftCarrier.TCP))
                .open(SoftwareProvider.DEVICE);
    }

    @Test
    void findsEveryOpenRegionAndNoClosedOne() {
        var random = new Random(5);
        VerbsDevice device = device();
        ProtectionDomain domain = device.allocateProtectionDomain();
        KeyTable table = ((SoftwareDevice) device).keys();
        MemorySegment memory = Arena.ofAuto().allocate(64);
        List<MemoryRegion> open = new ArrayList<>();
        List<MemoryRegion> closed = new ArrayList<>();
        Set<Integer> upperBits = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            if (open.size() < 500 && random.nextBoolean()) {
                MemoryRegion region = domain.register(memory, Set.of(AccessFlag.LOCAL_WRITE));
                open.add(region);
                assertThat(upperBits.add(region.remoteKey() >>> COUNTED_BITS))
                        .as("no open region has the upper bits of key %x", region.remoteKey())
                        .isTrue();
            } else if (!open.isEmpty()) {
                MemoryRegion region = open.remove(random.nextInt(open.size()));
                region.close();
                upperBits.remove(region.remoteKey() >>> COUNTED_BITS);
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
        assertThat(upperBits).hasSameSizeAs(open);
        open.forEach(MemoryRegion::close);
        domain.close();
        device.close();
    }

    /// The generator draws from few upper bits, so that many draws collide, with all low bits.
    @Test
    void noTwoOpenEntriesShareTheUpperBits() {
        var random = new Random(7);
        VerbsDevice device = device();
        var domain = (SoftwareProtectionDomain) device.allocateProtectionDomain();
        RandomGenerator few = () -> (long) random.nextInt((16 * WINDOWS_AT_ONCE) << COUNTED_BITS) << Integer.SIZE;
        var table = new KeyTable(few);
        List<SoftwareMemoryWindow> open = new ArrayList<>();
        Set<Integer> upperBits = new HashSet<>();
        for (int i = 0; i < 20_000; i++) {
            if (open.size() < WINDOWS_AT_ONCE && random.nextInt(3) > 0) {
                int key;
                synchronized (table) {
                    key = table.drawKey();
                    var window = new SoftwareMemoryWindow(domain, key);
                    table.add(window);
                    open.add(window);
                }
                assertThat(key >>> COUNTED_BITS).as("the upper bits of a key").isPositive();
                assertThat(upperBits.add(key >>> COUNTED_BITS))
                        .as("draw %d: no open entry has the upper bits of key %x", i, key)
                        .isTrue();
            } else if (!open.isEmpty()) {
                SoftwareMemoryWindow window = open.remove(random.nextInt(open.size()));
                window.end();
                upperBits.remove(window.remoteKey() >>> COUNTED_BITS);
            }
        }
        domain.close();
        device.close();
    }
}
