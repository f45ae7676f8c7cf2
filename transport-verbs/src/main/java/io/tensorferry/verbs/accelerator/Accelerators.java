package io.tensorferry.verbs.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.Device;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TensorAllocator;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.statistics.AcceleratorStatistics;
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

    /// Finds out of each whether the RDMA device reaches its memory by itself, and starts its copies. They end with
    /// `memory`.
    ///
    /// @param devices stay the caller's, who keeps them until `memory` is closed
    /// @param loop has the ends of copies told
    /// @param workers makes slabs
    /// @param runners who does the copies of each
    /// @throws IllegalArgumentException if two have the same name, or one is called as the host is
    /// @throws io.tensorferry.api.TransportException if one gives no streams, or the RDMA device is to reach its memory
    ///     and does not
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

    /// Whether the worker has only host memory.
    public boolean isEmpty() {
        return units.isEmpty();
    }

    /// The one that was given first.
    ///
    /// @throws java.util.NoSuchElementException if there is none
    public AcceleratorUnit first() {
        return units.getFirst();
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
        throw new IllegalArgumentException(
                "there is no " + name.type() + ":" + name.index() + " on " + name.worker() + ", which has " + this);
    }

    /// Makes a tensor's content one of another device's, of the host's or of these: whatever does not go there by RDMA.
    ///
    /// @param tensor of numbers, taken over; its ready event is waited for
    /// @param to makes the tensor that it becomes, on a worker, and may wait; of another device than the tensor's
    /// @param between makes host memory, where it goes from one accelerator to another
    /// @param peer whose tensor it is; none has more than its share of what is on the way
    public void move(Tensor tensor, TensorAllocator to, TensorAllocator between, String peer, MoveEnd end) {
        AcceleratorUnit from = of(tensor.device());
        AcceleratorUnit target = of(to.device());
        if (from != null && target != null) {
            move(from, tensor, between, peer, new MoveEnd() {
                @Override
                public void onMoved(Tensor moved) {
                    move(target, moved, to, peer, end);
                }

                @Override
                public void onFailed(TransportException cause) {
                    end.onFailed(cause);
                }
            });
        } else if (from != null) {
            move(from, tensor, to, peer, end);
        } else if (target != null) {
            move(target, tensor, to, peer, end);
        } else {
            throw new IllegalArgumentException(tensor + " is to be moved from " + tensor.device() + " to " + to.device()
                    + ", and neither is one of these accelerators");
        }
    }

    private static void move(AcceleratorUnit unit, Tensor tensor, TensorAllocator to, String peer, MoveEnd end) {
        unit.moveBegins();
        unit.work(() -> TensorMove.start(unit, tensor, to, peer, end), cause -> {
            tensor.close();
            end.onFailed(cause);
            unit.moveEnds();
        });
    }

    /// Whether something is copied or moved, or waits for it. It may be so no longer.
    public boolean isBusy() {
        for (AcceleratorUnit unit : units) {
            if (unit.isBusy()) {
                return true;
            }
        }
        return false;
    }

    /// Of each, in the order in which they were given.
    public List<AcceleratorStatistics> statistics() {
        return units.stream().map(AcceleratorUnit::statistics).toList();
    }

    /// Their names, as in keys; `no accelerator` for none.
    @Override
    public String toString() {
        return units.isEmpty()
                ? "no accelerator"
                : units.stream()
                        .map(unit -> AcceleratorUnit.nameOf(unit.device()))
                        .collect(Collectors.joining(", "));
    }
}
