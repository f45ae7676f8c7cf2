package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.Tag;

/// The rendezvous contract with all sources in host memory, and all results on an accelerator.
@Tag("variant")
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsToAcceleratorRendezvousTest extends AcceleratorContracts {
    VerbsToAcceleratorRendezvousTest() {
        super(Protocol.VERBS_TO_ACCELERATOR);
    }
}
