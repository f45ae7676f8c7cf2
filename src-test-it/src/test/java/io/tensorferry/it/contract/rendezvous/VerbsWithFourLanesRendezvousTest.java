package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.Tag;

/// The rendezvous contract over `grpc+verbs` with four lanes, on the software device over TCP, over which all but the
/// smallest tensors are striped.
@Tag("variant")
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsWithFourLanesRendezvousTest extends VerbsContracts {
    VerbsWithFourLanesRendezvousTest() {
        super(Protocol.VERBS_WITH_FOUR_LANES);
    }
}
