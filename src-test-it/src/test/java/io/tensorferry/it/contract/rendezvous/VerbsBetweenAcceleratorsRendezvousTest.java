package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;

/// The rendezvous contract with all tensors on accelerators.
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsBetweenAcceleratorsRendezvousTest extends AcceleratorContracts {
    VerbsBetweenAcceleratorsRendezvousTest() {
        super(Protocol.VERBS_BETWEEN_ACCELERATORS);
    }
}
