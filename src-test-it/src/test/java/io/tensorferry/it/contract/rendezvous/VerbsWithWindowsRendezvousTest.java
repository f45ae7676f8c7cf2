package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;

/// The rendezvous contract over `grpc+verbs`, with a memory window for each request.
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsWithWindowsRendezvousTest extends VerbsContracts {
    VerbsWithWindowsRendezvousTest() {
        super(Protocol.VERBS_WITH_WINDOWS);
    }
}
