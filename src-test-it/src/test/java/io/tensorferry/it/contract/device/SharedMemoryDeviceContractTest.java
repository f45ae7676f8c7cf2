package io.tensorferry.it.contract.device;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.software.SoftwareOptions;

/// The contract for `soft0`, both ends in this process, through shared memory and in no other way. Payload
/// lies in memory that the device did not make, so it is staged.
@DeviceTests(kind = "device", on = On.SOFTWARE)
class SharedMemoryDeviceContractTest extends DeviceContracts {
    private static final SoftwareOptions OPTIONS = SoftwareOptions.defaults().withCarrier(SoftCarrier.SHARED);

    @Override
    DevicePairFixture open() {
        return SoftwareDeviceContractTest.open(OPTIONS);
    }

    @Override
    DevicePairFixture openSmall() {
        return SoftwareDeviceContractTest.open(
                OPTIONS.withMaxMessageBytes(1 << 20).withMtu(1024));
    }
}
