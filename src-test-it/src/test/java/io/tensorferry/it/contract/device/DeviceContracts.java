package io.tensorferry.it.contract.device;

import org.junit.jupiter.api.Nested;

/// Every theme of the device contract: the one list that each kind of device has to pass.
abstract class DeviceContracts {
    /// Opens two devices that reach each other.
    abstract DevicePairFixture open();

    /// The same, with small limits where the kind can choose them, so that a test can go beyond.
    DevicePairFixture openSmall() {
        return open();
    }

    @Nested
    class QueuePairs extends QueuePairContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class Memory extends MemoryContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class Transfers extends TransferContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class PreparedSends extends PreparedSendContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class Inline extends InlineContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class AccessChecks extends AccessCheckContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class Windows extends WindowContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class Rnr extends RnrContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class ErrorFlush extends ErrorFlushContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class CompletionQueues extends CompletionQueueContract {
        @Override
        DevicePairFixture open() {
            return DeviceContracts.this.open();
        }
    }

    @Nested
    class Limits extends LimitsContract {
        @Override
        DevicePairFixture open() {
            return openSmall();
        }
    }
}
