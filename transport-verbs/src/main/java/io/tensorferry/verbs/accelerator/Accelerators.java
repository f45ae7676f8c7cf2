package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceName;
import io.tensorferry.verbs.memory.RegisteredMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The accelerators that one worker was given: tensors on them are sent to other workers, and received there.
///
/// Threading: any thread.
public final class Accelerators {
    private static final Accelerators NONE = new Accelerators(List.of());

    private final List<AcceleratorUnit> units;

    private Accelerators(List<AcceleratorUnit> units) {
        this.units = List.copyOf(units);
    }

    /// Of a worker that has only host memory.
    public static Accelerators none() {
        return NONE;
    }

    /// Starts the copies of each. They end with `memory`.
    ///
    /// @param devices stay the caller's, who keeps them until `memory` is closed
    /// @param loop has the ends of copies told
    /// @param workers makes slabs
    /// @param runners who does the copies of each
    /// @throws IllegalArgumentException if two have the same name, or one is called as the host is
    /// @throws io.tensorferry.api.TransportException if one gives no streams
    public static Accelerators open(
            List<Accelerator> devices,
            RegisteredMemory memory,
            AcceleratorOptions options,
            Executor loop,
            Executor workers,
            Function<Accelerator, CopyRunner> runners) {
        check(devices);
        var units = new ArrayList<AcceleratorUnit>();
        for (Accelerator device : devices) {
            units.add(AcceleratorUnit.open(device, memory, options, loop, workers, runners.apply(device)));
        }
        return units.isEmpty() ? NONE : new Accelerators(units);
    }

    private static void check(List<Accelerator> devices) {
        var names = new ArrayList<String>();
        for (Accelerator device : devices) {
            String name = AcceleratorUnit.nameOf(device);
            if (names.contains(name) || device.type().equals(Device.HOST.type())) {
                throw new IllegalArgumentException("the accelerator " + device + " is called " + name + ", which is "
                        + (names.contains(name) ? "another one's name too" : "how keys name the host"));
            }
            names.add(name);
        }
    }

    /// What there is of a device; null if the worker was not given it.
    public @Nullable AcceleratorUnit of(Device device) {
        for (AcceleratorUnit unit : units) {
            if (unit.device().equals(device)) {
                return unit;
            }
        }
        return null;
    }

    /// What a key names as a place for results; null for the host. A worker without accelerators takes each name for
    /// the host's.
    ///
    /// @throws IllegalArgumentException if this worker has accelerators, and none of that name
    public @Nullable AcceleratorUnit named(DeviceName name) {
        if (units.isEmpty() || name.type().equals(Device.HOST.type())) {
            return null;
        }
        for (AcceleratorUnit unit : units) {
            if (unit.device().type().equals(name.type()) && unit.device().index() == name.index()) {
                return unit;
            }
        }
        throw new IllegalArgumentException("there is no " + name.type() + ":" + name.index() + " on " + name.worker()
                + ", which has "
                + units.stream()
                        .map(unit -> AcceleratorUnit.nameOf(unit.device()))
                        .collect(Collectors.joining(", ")));
    }

    /// Whether something is copied, or waits for it. It may be so no longer.
    public boolean isBusy() {
        for (AcceleratorUnit unit : units) {
            if (unit.copies().isBusy()) {
                return true;
            }
        }
        return false;
    }

    /// Of each, in the order in which they were given.
    public List<AcceleratorStatistics> statistics() {
        return units.stream().map(AcceleratorUnit::statistics).toList();
    }
}
