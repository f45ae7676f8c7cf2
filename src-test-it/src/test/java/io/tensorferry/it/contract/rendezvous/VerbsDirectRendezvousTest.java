package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.Nested;

/// The rendezvous contract with all tensors on accelerators whose memory the device accesses directly; its
/// writes there must be flushed.
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsDirectRendezvousTest extends AcceleratorContracts {
    VerbsDirectRendezvousTest() {
        super(Protocol.VERBS_DIRECT);
    }

    @Nested
    class Direct extends DirectContract {
        Direct() {
            super(Protocol.VERBS_DIRECT);
        }
    }
}
