package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.Tag;

/// The rendezvous contract with all tensors on accelerators, over two lanes, with a memory window for each request.
@Tag("variant")
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsBetweenAcceleratorsWithWindowsRendezvousTest extends AcceleratorContracts {
    VerbsBetweenAcceleratorsWithWindowsRendezvousTest() {
        super(Protocol.VERBS_BETWEEN_ACCELERATORS_WITH_WINDOWS);
    }
}
