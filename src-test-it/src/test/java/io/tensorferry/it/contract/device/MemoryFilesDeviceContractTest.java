package io.tensorferry.it.contract.device;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.software.SoftwareOptions;

/// The contract for `soft0`, both ends in this process, through shared memory, with payload out of memory files: the
/// responder takes it straight from the requester's memory.
@DeviceTests(kind = "device", on = On.SOFTWARE)
class MemoryFilesDeviceContractTest extends DeviceContracts {
    private static final SoftwareOptions OPTIONS = SoftwareOptions.defaults().withCarrier(SoftCarrier.SHARED);

    @Override
    DevicePairFixture open() {
        return SoftwareDeviceContractTest.open(OPTIONS).withMemoryOfDevice();
    }

    @Override
    DevicePairFixture openSmall() {
        return SoftwareDeviceContractTest.open(
                        OPTIONS.withMaxMessageBytes(1 << 20).withMtu(1024))
                .withMemoryOfDevice();
    }
}
