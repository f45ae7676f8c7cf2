package io.tensorferry.it.contract.device;

import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.software.simulated.SimulatedFabric;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Nested;

/// The contract for the devices of the simulated fabric; time passes when the fixture waits.
class SimulatedDeviceContractTest {
    private static final long SEED = 20_251_121;

    record Fixture(SimulatedFabric fabric, VerbsDevice first, VerbsDevice second) implements DevicePairFixture {
        static Fixture open() {
            var fabric = new SimulatedFabric(SEED);
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

    @Nested
    class QueuePairs extends QueuePairContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open();
        }
    }

    @Nested
    class Transfers extends TransferContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open();
        }
    }

    @Nested
    class AccessChecks extends AccessCheckContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open();
        }
    }

    @Nested
    class Rnr extends RnrContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open();
        }
    }

    @Nested
    class ErrorFlush extends ErrorFlushContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open();
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open();
        }
    }

    @Nested
    class Limits extends LimitsContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open();
        }
    }
}
