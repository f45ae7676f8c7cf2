package io.tensorferry.it.contract.device;

import io.tensorferry.it.process.Place;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.config.RelaxedOrdering;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.device.ibverbs.IbverbsOptions;
import io.tensorferry.verbs.device.ibverbs.IbverbsProvider;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;

/// All transfers again, on memory that is registered with relaxed ordering.
@DeviceTests(kind = "device", on = On.NAMED)
class IbverbsRelaxedOrderingTest extends TransferContract {
    private static final List<VerbsProvider> PROVIDERS =
            List.of(new IbverbsProvider(IbverbsOptions.defaults().withRelaxedOrdering(RelaxedOrdering.ON)));

    @BeforeAll
    static void isThereADevice() {
        IbverbsDeviceContractTest.isThereADevice();
    }

    @Override
    DevicePairFixture open() {
        ChosenPort first = choose();
        return new OpenedDevices(
                first.device(),
                choose().device(),
                first.portNumber(),
                first.gid().index());
    }

    private static ChosenPort choose() {
        return DeviceChoice.choose(Place.of(0).rdmaConfig(), PROVIDERS);
    }
}
