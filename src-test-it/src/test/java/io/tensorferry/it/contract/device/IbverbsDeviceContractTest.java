package io.tensorferry.it.contract.device;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.it.process.Place;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import org.junit.jupiter.api.BeforeAll;

/// The contract for the device that the system property `rdma.device` names, through libibverbs: a network card, or
/// the kernel's Soft-RoCE. Both ends are in this process, each with the device opened by itself.
@DeviceTests(kind = "device", on = On.NAMED)
class IbverbsDeviceContractTest extends DeviceContracts {
    private static final Place HERE = Place.of(0);

    @BeforeAll
    static void isThereADevice() {
        assumeTrue(
                HERE.device() != null && !HERE.device().equals(SoftwareProvider.DEVICE),
                "no RDMA device is named: -Drdma.device=NAME runs this on one");
    }

    @Override
    DevicePairFixture open() {
        return OpenedDevices.two(HERE);
    }
}
