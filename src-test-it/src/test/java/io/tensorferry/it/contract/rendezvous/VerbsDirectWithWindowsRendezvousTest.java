package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/// The rendezvous contract with all tensors on accelerators whose memory the device reaches by itself, as a dmabuf,
/// over
/// two lanes, with a memory window for each request: it reads what is sent, and results come by way of host memory.
@Tag("variant")
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsDirectWithWindowsRendezvousTest extends AcceleratorContracts {
    VerbsDirectWithWindowsRendezvousTest() {
        super(Protocol.VERBS_DIRECT_WITH_WINDOWS);
    }

    @Nested
    class Direct extends DirectContract {
        Direct() {
            super(Protocol.VERBS_DIRECT_WITH_WINDOWS);
        }
    }
}
