package io.tensorferry.it.contract.device;

import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Nested;

/// The contract for `soft0`, both ends in this process, over TCP.
class SoftwareDeviceContractTest {
    /// Two devices under the system's clock.
    record Fixture(VerbsDevice first, VerbsDevice second) implements DevicePairFixture {
        private static final long POLL_INTERVAL_NS = 20_000;

        static Fixture open(SoftwareOptions options) {
            var provider = new SoftwareProvider(options);
            return new Fixture(provider.open(SoftwareProvider.DEVICE), provider.open(SoftwareProvider.DEVICE));
        }

        @Override
        public boolean await(BooleanSupplier condition, Duration limit) {
            long start = System.nanoTime();
            while (!condition.getAsBoolean()) {
                if (System.nanoTime() - start > limit.toNanos()) {
                    return false;
                }
                LockSupport.parkNanos(POLL_INTERVAL_NS);
            }
            return true;
        }

        @Override
        public void pass(Duration time) {
            await(() -> false, time);
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
            return Fixture.open(SoftwareOptions.defaults());
        }
    }

    @Nested
    class Transfers extends TransferContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open(SoftwareOptions.defaults());
        }
    }

    @Nested
    class AccessChecks extends AccessCheckContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open(SoftwareOptions.defaults());
        }
    }

    @Nested
    class Rnr extends RnrContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open(SoftwareOptions.defaults());
        }
    }

    @Nested
    class ErrorFlush extends ErrorFlushContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open(SoftwareOptions.defaults());
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open(SoftwareOptions.defaults());
        }
    }

    @Nested
    class Limits extends LimitsContract {
        @Override
        DevicePairFixture open() {
            return Fixture.open(SoftwareOptions.defaults().withMaxMessageBytes(1 << 20).withMtu(1024));
        }
    }
}
