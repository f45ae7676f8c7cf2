package io.tensorferry.it.contract.device;

import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/// Two opened devices that reach each other, and how time passes on them.
public interface DevicePairFixture extends AutoCloseable {
    /// The device of the requesting end in most tests.
    VerbsDevice first();

    /// The device of the other end; may be the same device.
    VerbsDevice second();

    /// The active port that is used on both.
    default int port() {
        return 1;
    }

    /// The entry of the GID table that is used on both.
    default int gidIndex() {
        return 0;
    }

    /// Lets time pass until `condition` holds.
    ///
    /// @return false if it does not hold after `limit`
    boolean await(BooleanSupplier condition, Duration limit);

    /// Lets time pass.
    void pass(Duration time);

    /// Whether a thread can sleep on a completion channel; not where the caller itself turns the clock.
    default boolean canSleep() {
        return true;
    }

    /// The memory that an end registers. May be of the kind that the device likes best.
    default MemorySegment allocate(ProtectionDomain domain, Arena arena, long bytes) {
        return arena.allocate(bytes, 64);
    }

    /// Whether the devices are the kernel's Soft-RoCE, which names some failures otherwise than the specification.
    default boolean isSoftRoce() {
        return false;
    }

    /// Closes both devices, on which nothing is open any more.
    @Override
    void close();
}
