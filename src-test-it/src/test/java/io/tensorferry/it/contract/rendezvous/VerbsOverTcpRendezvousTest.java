package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import org.junit.jupiter.api.Tag;

/// The rendezvous contract over `grpc+verbs` on the software device, which reaches its peers over TCP.
@Tag("variant")
@DeviceTests(kind = "rendezvous", on = On.SOFTWARE)
class VerbsOverTcpRendezvousTest extends VerbsContracts {
    VerbsOverTcpRendezvousTest() {
        super(Protocol.VERBS_OVER_TCP);
    }
}
