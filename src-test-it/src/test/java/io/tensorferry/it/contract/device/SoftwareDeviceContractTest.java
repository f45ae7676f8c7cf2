package io.tensorferry.it.contract.device;

import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;

/// The contract for `soft0`, both ends in this process, over TCP.
@DeviceTests(kind = "device", on = On.SOFTWARE)
class SoftwareDeviceContractTest extends DeviceContracts {
    private static final SoftwareOptions OPTIONS = SoftwareOptions.defaults().withCarrier(SoftCarrier.TCP);

    static OpenedDevices open(SoftwareOptions options) {
        var provider = new SoftwareProvider(options);
        return new OpenedDevices(provider.open(SoftwareProvider.DEVICE), provider.open(SoftwareProvider.DEVICE), 1, 0);
    }

    @Override
    DevicePairFixture open() {
        return open(OPTIONS);
    }

    @Override
    DevicePairFixture openSmall() {
        return open(OPTIONS.withMaxMessageBytes(1 << 20).withMtu(1024));
    }
}
