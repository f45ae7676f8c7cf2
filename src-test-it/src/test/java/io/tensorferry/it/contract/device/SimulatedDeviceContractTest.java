package io.tensorferry.it.contract.device;

import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.testing.fabric.SimulatedFabricOptions;
import io.tensorferry.verbs.device.VerbsDevice;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/// The contract for the devices of the simulated fabric; time passes when the fixture waits.
class SimulatedDeviceContractTest extends DeviceContracts {
    private static final long SEED = 20_251_121;

    record Fixture(SimulatedFabric fabric, VerbsDevice first, VerbsDevice second) implements DevicePairFixture {
        static Fixture open(SimulatedFabricOptions options) {
            var fabric = new SimulatedFabric(SEED, options);
            return new Fixture(
                    fabric,
                    fabric.provider("one").open(SimulatedFabric.DEVICE),
                    fabric.provider("other").open(SimulatedFabric.DEVICE));
        }

        @Override
        public boolean await(BooleanSupplier condition, Duration limit) {
            long end = fabric.now() + limit.toNanos();
            while (!condition.getAsBoolean()) {
                if (fabric.now() > end || !fabric.runNext()) {
                    return condition.getAsBoolean();
                }
            }
            return true;
        }

        @Override
        public void pass(Duration time) {
            fabric.advance(time.toNanos());
        }

        @Override
        public boolean canSleep() {
            return false;
        }

        @Override
        public void close() {
            first.close();
            second.close();
        }
    }

    @Override
    DevicePairFixture open() {
        return Fixture.open(SimulatedFabricOptions.defaults());
    }

    @Override
    DevicePairFixture openSmall() {
        return Fixture.open(SimulatedFabricOptions.defaults().withMaxMessageBytes(1 << 20));
    }
}
