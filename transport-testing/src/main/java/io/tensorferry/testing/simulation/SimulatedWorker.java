package io.tensorferry.testing.simulation;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.thread.TransportThread;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.accelerator.CopyQueue;
import io.tensorferry.verbs.accelerator.CopyRunner;
import io.tensorferry.verbs.channel.ChannelHandlers;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.config.RendezvousOptions;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.edge.EdgeManager;
import io.tensorferry.verbs.link.AdapterRuntime;
import io.tensorferry.verbs.link.EndpointExchange;
import io.tensorferry.verbs.link.RdmaAdapter;
import io.tensorferry.verbs.link.RdmaAdapterOptions;
import io.tensorferry.verbs.loop.BackgroundExecutor;
import io.tensorferry.verbs.loop.CompletionLoop;
import io.tensorferry.verbs.loop.LoopRunner;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.partition.PartitionManager;
import io.tensorferry.verbs.rendezvous.CallbackExecutor;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.rendezvous.fallback.FallbackPath;
import io.tensorferry.verbs.rendezvous.transfer.RdmaRendezvousManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// One worker on a node of a fabric, without threads: the transport from the rendezvous down to the queue pairs.
///
/// Events of the fabric replace the threads of production: long tasks, callbacks and timers. The loop runs only in
/// [#turn]. The caller must release all tensors before [#close()].
///
/// Threading: the fabric's thread.
// Tests of the transport itself use types that are not exported to applications.
@SuppressWarnings("exports")
public final class SimulatedWorker implements AutoCloseable {
    private static final long LONGEST_TASK_NS = 50_000;
    // The interval at which a pending device event is polled.
    private static final long EVENT_LOOK_NS = 50_000;

    private final SimulatedFabric fabric;
    private final RandomGenerator random;
    private final String name;
    private final RdmaAdapter adapter;
    private final Accelerators accelerators;
    private final RdmaRendezvousManager manager;
    private final EdgeManager edges;
    private final PartitionManager partitions;
    private final List<CopyQueue> copies = new ArrayList<>();
    // Release actions of users.
    private final TaskEvents releases = new TaskEvents();
    private final TaskWorkers workers = new TaskWorkers();
    private boolean alive = true;
    private long pausedUntilNs;
    private int mostWork;
    private @Nullable CompletionLoop loop;

    /// Configuration of a worker.
    ///
    /// @param adapter the adapter; its name is also the node's name
    /// @param accelerators the worker's accelerators; they use the fabric's time
    /// @param users creates the user's callback executor from an executor that runs each task as an event; null for
    ///     callbacks on the loop
    /// @param fallback handles receives without a channel; null for none
    public record Setting(
            RdmaAdapterOptions adapter,
            RendezvousOptions rendezvous,
            RendezvousLimits limits,
            List<Accelerator> accelerators,
            AcceleratorOptions acceleratorOptions,
            @Nullable UnaryOperator<Executor> users,
            @Nullable FallbackPath fallback) {}

    /// Opens a device of the node, and starts the worker.
    ///
    /// @param random draws task durations and the adapter's random values
    /// @param exchange exchanges endpoints with other workers
    public SimulatedWorker(SimulatedFabric fabric, RandomGenerator random, Setting setting, EndpointExchange exchange) {
        this.fabric = fabric;
        this.random = random;
        this.name = setting.adapter().workerName();
        Executor tasks = task -> later(0, LONGEST_TASK_NS, task);
        this.adapter = RdmaAdapter.open(
                setting.adapter(),
                DeviceChoice.choose(setting.adapter().config(), List.of(fabric.provider(name))),
                exchange,
                new AdapterRuntime(fabric::now, new Turner(), workers, random));
        this.accelerators = Accelerators.open(
                setting.accelerators(),
                adapter.memory(),
                setting.acceleratorOptions(),
                adapter.loop(),
                adapter.background(),
                _ -> new TurnedCopies());
        UnaryOperator<Executor> users = setting.users();
        CallbackExecutor callbacks =
                users == null ? CallbackExecutor.onCaller() : CallbackExecutor.handing(users.apply(tasks), tasks);
        this.manager = new RdmaRendezvousManager(
                adapter,
                new WorkerContext(name, setting.adapter().members(), callbacks, this::timer, setting.limits()),
                setting.rendezvous(),
                accelerators,
                setting.fallback());
        this.edges = new EdgeManager(adapter, setting.adapter().members(), new UserCode(callbacks));
        this.partitions = new PartitionManager(adapter, setting.adapter().members(), new UserCode(callbacks));
        adapter.start(new ChannelHandlers(manager.handler(), edges.handler(), partitions.handler()));
    }

    /// Runs each task as an event of the fabric, after a drawn time. At the end it runs the remaining tasks at once.
    private final class TaskEvents implements Executor {
        // Keyed by a number, because the same task may be submitted twice.
        private final TreeMap<Long, Runnable> waiting = new TreeMap<>();
        private long given;

        @Override
        public void execute(Runnable task) {
            long number = given++;
            waiting.put(number, task);
            later(0, LONGEST_TASK_NS, () -> {
                Runnable left = waiting.remove(number);
                if (left != null) {
                    left.run();
                }
            });
        }

        void runAll() {
            while (!waiting.isEmpty()) {
                waiting.pollFirstEntry().getValue().run();
            }
        }
    }

    private final class TaskWorkers implements BackgroundExecutor {
        private final TaskEvents work = new TaskEvents();

        @Override
        public void execute(Runnable task) {
            work.execute(TransportThread.working(releases, task));
        }

        @Override
        public void awaitIdle() {
            work.runAll();
        }

        @Override
        public void close() {
            releases.runAll();
        }
    }

    /// Leaves the loop to callers of [#turn].
    private final class Turner implements LoopRunner {
        @Override
        public void start(CompletionLoop started) {
            loop = started;
        }

        @Override
        public void stop(Runnable last) {
            last.run();
            loop = null;
        }
    }

    /// Leaves an accelerator's copies to callers of [#turn]; waits only for the last copies.
    private final class TurnedCopies implements CopyRunner {
        private @Nullable CopyQueue queue;

        @Override
        public void start(CopyQueue started) {
            queue = started;
            copies.add(started);
        }

        @Override
        public void wake() {
            // Each turn polls the copies.
        }

        @Override
        public void stop() {
            CopyQueue ending = Objects.requireNonNull(queue, "the copy loop was not started");
            ending.close();
            while (!ending.isOver()) {
                if (ending.doWork() == 0 && !fabric.runNext()) {
                    throw new IllegalStateException("a copy of " + name + " never ends");
                }
            }
            ending.closeStreams();
            copies.remove(ending);
        }
    }

    private Runnable timer(long delayNs, Runnable action) {
        var calledOff = new AtomicBoolean();
        fabric.schedule(delayNs, () -> {
            if (alive && !calledOff.get()) {
                action.run();
            }
        });
        return () -> calledOff.set(true);
    }

    public String name() {
        return name;
    }

    public RdmaAdapter adapter() {
        return adapter;
    }

    public RdmaRendezvousManager manager() {
        return manager;
    }

    public EdgeManager edges() {
        return edges;
    }

    public PartitionManager partitions() {
        return partitions;
    }

    public Accelerators accelerators() {
        return accelerators;
    }

    public boolean isAlive() {
        return alive;
    }

    /// Runs one turn of the loop and of the copies, unless the worker is dead or paused.
    ///
    /// @return whether any work was done
    public boolean turn() {
        CompletionLoop running = loop;
        if (!alive || running == null || pausedUntilNs > fabric.now()) {
            return false;
        }
        var done = new AtomicInteger();
        TransportThread.neverWaiting(releases, () -> {
                    int work = running.doWork();
                    mostWork = Math.max(mostWork, work);
                    done.addAndGet(work);
                    for (CopyQueue queue : copies) {
                        done.addAndGet(queue.doWork());
                    }
                })
                .run();
        return done.get() > 0;
    }

    /// The most work that one turn of the loop has done, as counted by [CompletionLoop#doWork()].
    public int mostWorkOfATurn() {
        return mostWork;
    }

    /// The time until the next turn that time alone requires: the loop's next timer, the end of a pause, or the next
    /// poll of a pending copy.
    ///
    /// @return nanoseconds; `Long.MAX_VALUE` if no such turn is due
    public long nanosToNextTimer() {
        CompletionLoop running = loop;
        if (!alive) {
            return Long.MAX_VALUE;
        }
        if (pausedUntilNs > fabric.now()) {
            return pausedUntilNs - fabric.now();
        }
        if (running == null) {
            return Long.MAX_VALUE;
        }
        long timerNs = Math.max(0, running.nanosToNextTimer());
        return copies.stream().anyMatch(CopyQueue::isWaiting) ? Math.min(timerNs, EVENT_LOOK_NS) : timerNs;
    }

    /// Runs `task` after a drawn time, unless the worker is dead by then.
    ///
    /// @param leastNs the minimum delay
    /// @param longestNs the maximum additional delay
    public void later(long leastNs, long longestNs, Runnable task) {
        fabric.schedule(leastNs + 1 + random.nextLong(longestNs), () -> {
            if (alive) {
                task.run();
            }
        });
    }

    /// Stops the loop for a time, as if its process were suspended or swapped out.
    public void pause(long nanoseconds) {
        pausedUntilNs = fabric.now() + nanoseconds;
    }

    /// Kills the process: its device falls silent, and none of its code runs any more.
    public void kill() {
        alive = false;
        fabric.killNode(name);
    }

    /// Closes all open resources. For a killed worker, releases the resources that a kernel would reclaim.
    @Override
    public void close() {
        manager.close();
        edges.close();
        partitions.close();
        adapter.close();
    }
}
