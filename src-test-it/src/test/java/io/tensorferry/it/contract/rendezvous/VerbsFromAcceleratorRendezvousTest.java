package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.Tag;

/// The rendezvous contract with all sources on an accelerator, and all results in host memory.
@Tag("variant")
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsFromAcceleratorRendezvousTest extends AcceleratorContracts {
    VerbsFromAcceleratorRendezvousTest() {
        super(Protocol.VERBS_FROM_ACCELERATOR);
    }
}
