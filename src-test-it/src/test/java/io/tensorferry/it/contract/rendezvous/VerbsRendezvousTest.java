package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;

/// The rendezvous contract over `grpc+verbs`.
@DeviceTests(kind = "rendezvous", on = On.NAMED_OR_SOFTWARE)
class VerbsRendezvousTest extends VerbsContracts {
    VerbsRendezvousTest() {
        super(Protocol.VERBS);
    }
}
