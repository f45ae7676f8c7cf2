package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.Tag;

/// The rendezvous contract over `grpc+verbs` with two lanes, on the software device through shared memory, over which
/// all but the smallest tensors are striped.
@Tag("variant")
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsWithTwoLanesRendezvousTest extends VerbsContracts {
    VerbsWithTwoLanesRendezvousTest() {
        super(Protocol.VERBS_WITH_TWO_LANES);
    }
}
