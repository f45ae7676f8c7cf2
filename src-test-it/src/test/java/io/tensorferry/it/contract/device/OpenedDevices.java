package io.tensorferry.it.contract.device;

import io.tensorferry.it.device.VerbsDevices;
import io.tensorferry.it.process.Place;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/// Two devices, or one that is both, under the system's clock. A wait sleeps between two looks, so that a device
/// whose work is done by threads of this process, or on its only processor, gets on.
///
/// @param ofDevice whether ends register memory that they got from the device
record OpenedDevices(VerbsDevice first, VerbsDevice second, int port, int gidIndex, boolean ofDevice)
        implements DevicePairFixture {
    private static final long POLL_INTERVAL_NS = 20_000;

    OpenedDevices(VerbsDevice first, VerbsDevice second, int port, int gidIndex) {
        this(first, second, port, gidIndex, false);
    }

    /// The same, with memory from the device.
    OpenedDevices withMemoryOfDevice() {
        return new OpenedDevices(first, second, port, gidIndex, true);
    }

    @Override
    public MemorySegment allocate(ProtectionDomain domain, Arena arena, long bytes) {
        return ofDevice ? domain.allocate(arena, bytes, 64) : DevicePairFixture.super.allocate(domain, arena, bytes);
    }

    /// The device of this place, to be reached by another process; `soft0` where none is named.
    static OpenedDevices one(Place place) {
        ChosenPort chosen = open(place);
        return of(chosen, chosen);
    }

    /// The device of this place, opened twice; `soft0` where none is named.
    static OpenedDevices two(Place place) {
        ChosenPort first = open(place);
        try {
            return of(first, open(place));
        } catch (RuntimeException e) {
            first.device().close();
            throw e;
        }
    }

    private static ChosenPort open(Place place) {
        return VerbsDevices.open(
                place.device() == null
                        ? RdmaConfig.builder().device(SoftwareProvider.DEVICE).build()
                        : place.rdmaConfig());
    }

    private static OpenedDevices of(ChosenPort first, ChosenPort second) {
        return new OpenedDevices(
                first.device(), second.device(), first.portNumber(), first.gid().index());
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
    public boolean isSoftRoce() {
        return first.description().isSoftRoce();
    }

    @Override
    public void close() {
        first.close();
        if (!second.equals(first)) {
            second.close();
        }
    }
}
