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

/// The accelerators of one worker, whose tensors it can send to and receive from other workers.
///
/// Threading: any thread.
public final class Accelerators {
    private static final Accelerators NONE = new Accelerators(List.of());

    private final List<AcceleratorUnit> units;

    private Accelerators(List<AcceleratorUnit> units) {
        this.units = List.copyOf(units);
    }

    /// Returns the instance for a worker with host memory only.
    public static Accelerators none() {
        return NONE;
    }

    /// Determines for each accelerator whether the RDMA device has direct access, and starts its copy queue. The queues
    /// end with `memory`.
    ///
    /// @param devices owned by the caller, who keeps them open until `memory` is closed
    /// @param loop runs the completion callbacks of copies
    /// @param workers allocates slabs
    /// @param runners creates the runner of each copy queue
    /// @throws IllegalArgumentException if two have the same name, or one has the name of the host
    /// @throws io.tensorferry.api.TransportException if an accelerator cannot create streams, or direct access is
    ///     required but not available
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
                throw new IllegalArgumentException("the accelerator " + device + " has the name " + name + ", which "
                        + (names.contains(name) ? "another accelerator has too" : "denotes the host in keys"));
            }
            names.add(name);
        }
    }

    /// Whether the worker has only host memory.
    public boolean isEmpty() {
        return units.isEmpty();
    }

    /// The first accelerator.
    ///
    /// @throws java.util.NoSuchElementException if there is none
    public AcceleratorUnit first() {
        return units.getFirst();
    }

    /// Returns the unit of a device; null if the worker does not have it.
    public @Nullable AcceleratorUnit of(Device device) {
        for (AcceleratorUnit unit : units) {
            if (unit.device().equals(device)) {
                return unit;
            }
        }
        return null;
    }

    /// Resolves the device that a key names for results; null for the host. A worker without accelerators resolves
    /// every name to the host.
    ///
    /// @throws IllegalArgumentException if this worker has accelerators, but none of that name
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

    /// Moves a tensor to another device, between host and accelerators, for transfers that do not go by RDMA.
    ///
    /// @param tensor a tensor of numbers; ownership passes to this method, which waits for its ready event
    /// @param to allocates the target tensor, on a worker, and may wait; on a different device than `tensor`
    /// @param between allocates host memory for a move from one accelerator to another
    /// @param peer the peer whose tensor is moved; each peer's share of the proxies is limited
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
            throw new IllegalArgumentException("cannot move " + tensor + " from " + tensor.device() + " to "
                    + to.device() + ": neither is one of these accelerators");
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

    /// Whether a copy or move is pending. The result may be outdated when it is returned.
    public boolean isBusy() {
        for (AcceleratorUnit unit : units) {
            if (unit.isBusy()) {
                return true;
            }
        }
        return false;
    }

    /// The statistics of each accelerator, in the order given.
    public List<AcceleratorStatistics> statistics() {
        return units.stream().map(AcceleratorUnit::statistics).toList();
    }

    /// The names of the accelerators in rendezvous keys; `no accelerator` if there are none.
    @Override
    public String toString() {
        return units.isEmpty()
                ? "no accelerator"
                : units.stream()
                        .map(unit -> AcceleratorUnit.nameOf(unit.device()))
                        .collect(Collectors.joining(", "));
    }
}
