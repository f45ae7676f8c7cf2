package io.tensorferry.verbs.memory;

import io.tensorferry.verbs.device.MemoryRegion;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/// A look-up during two changes finds the earlier regions, and each region that it finds is complete; no change is
/// lost.
///
/// Results: the key of the region that was present throughout, the key that a look-up found of one that is added
/// meanwhile, and the number of regions at the end.
@JCStressTest
@Outcome(id = "7, [08], 2", expect = Expect.ACCEPTABLE, desc = "Before or after the change.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A region is lost, or in pieces.")
@State
public class RegionTableStress {
    private final RegionTable table = new RegionTable();
    private final MemoryRegion old = new Region(9, 0x3000, 0x1000);

    private record Region(int localKey, long address, long byteSize) implements MemoryRegion {
        @Override
        public int remoteKey() {
            return localKey;
        }

        @Override
        public void close() {}
    }

    public RegionTableStress() {
        table.add(new Region(7, 0x1000, 0x1000));
        table.add(old);
    }

    @Actor
    public void adds() {
        table.add(new Region(8, 0x2000, 0x1000));
    }

    @Actor
    public void removes() {
        table.remove(old);
    }

    @Actor
    public void looksUp(III_Result result) {
        result.r1 = key(0x1800);
        result.r2 = key(0x2800);
    }

    @Arbiter
    public void counts(III_Result result) {
        for (long address = 0x1000; address < 0x4000; address += 0x1000) {
            result.r3 += table.find(address, 0x1000) == null ? 0 : 1;
        }
    }

    private int key(long address) {
        MemoryRegion region = table.find(address, 16);
        return region == null ? 0 : region.localKey();
    }
}
