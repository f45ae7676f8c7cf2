package io.tensorferry.verbs.loopback;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceName;
import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.accelerator.AcceleratorUnit;
import io.tensorferry.verbs.accelerator.Accelerators;
import io.tensorferry.verbs.channel.ChannelHandlers;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.config.RendezvousLimits;
import io.tensorferry.verbs.config.RendezvousOptions;
import io.tensorferry.verbs.device.choice.ChosenPort;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import io.tensorferry.verbs.edge.EdgeManager;
import io.tensorferry.verbs.link.AdapterRuntime;
import io.tensorferry.verbs.link.EndpointExchange;
import io.tensorferry.verbs.link.OfferAnswer;
import io.tensorferry.verbs.link.RdmaAdapter;
import io.tensorferry.verbs.link.RdmaAdapterOptions;
import io.tensorferry.verbs.loop.BackgroundThreads;
import io.tensorferry.verbs.loop.LoopRunner;
import io.tensorferry.verbs.loop.UserCode;
import io.tensorferry.verbs.partition.PartitionManager;
import io.tensorferry.verbs.rendezvous.CallbackExecutor;
import io.tensorferry.verbs.rendezvous.ReceiveTimer;
import io.tensorferry.verbs.rendezvous.WorkerContext;
import io.tensorferry.verbs.rendezvous.transfer.RdmaRendezvousManager;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Two workers in one JVM, each with a software device on loopback and its own threads. The exchange of
/// endpoints is a method call.
final class LoopbackWorkers implements AutoCloseable {
    private static final List<SoftwareOptions> DEVICES =
            List.of(SoftwareOptions.defaults(), SoftwareOptions.defaults());
    private static final List<MemoryOptions> MEMORY = List.of(MemoryOptions.defaults(), MemoryOptions.defaults());

    private final Map<String, RdmaAdapter> adapters = new ConcurrentHashMap<>();
    private final List<Worker> workers = new ArrayList<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService callbackThreads = Executors.newVirtualThreadPerTaskExecutor();
    private final CallbackExecutor callbacks = CallbackExecutor.dispatching("callback-dispatcher", callbackThreads);
    private final ChannelOptions channel;
    private final @Nullable Supplier<LoopRunner> runners;

    LoopbackWorkers() {
        this(DEVICES);
    }

    /// @param channel the channel options of both
    /// @param runners create the runner of each loop
    LoopbackWorkers(ChannelOptions channel, Supplier<LoopRunner> runners) {
        this(DEVICES, UnaryOperator.identity(), MEMORY, RdmaConfig.builder().build(), channel, runners, List.of());
    }

    /// @param accelerator of worker 0; remains owned by the caller
    LoopbackWorkers(Accelerator accelerator) {
        this(
                DEVICES,
                UnaryOperator.identity(),
                MEMORY,
                RdmaConfig.builder().build(),
                ChannelOptions.defaults(),
                null,
                List.of(accelerator));
    }

    /// @param faults wraps the device of worker 0
    /// @param accelerator given to worker 0
    LoopbackWorkers(FaultyDevice faults, Accelerator accelerator) {
        this(
                DEVICES,
                faults::wrap,
                MEMORY,
                RdmaConfig.builder().build(),
                ChannelOptions.defaults(),
                null,
                List.of(accelerator));
    }

    /// @param faults wraps the device of worker 0
    /// @param scope the scope of both workers' keys
    /// @param accelerator given to worker 0
    LoopbackWorkers(FaultyDevice faults, RemoteKeyScope scope, Accelerator accelerator) {
        this(
                DEVICES,
                faults::wrap,
                MEMORY,
                RdmaConfig.builder().rkeyScope(scope).build(),
                ChannelOptions.defaults(),
                null,
                List.of(accelerator));
    }

    /// @param devices the options of each worker's device
    LoopbackWorkers(List<SoftwareOptions> devices) {
        this(devices, UnaryOperator.identity(), MEMORY, RemoteKeyScope.SLAB);
    }

    /// @param faults wraps the device of worker 0
    LoopbackWorkers(FaultyDevice faults) {
        this(faults, RemoteKeyScope.SLAB);
    }

    /// @param faults wraps the device of worker 0
    /// @param scope the scope of both workers' keys
    LoopbackWorkers(FaultyDevice faults, RemoteKeyScope scope) {
        this(DEVICES, faults::wrap, MEMORY, scope);
    }

    /// @param first wraps the device of worker 0
    /// @param second wraps the device of worker 1
    /// @param channel the channel options of both
    LoopbackWorkers(FaultyDevice first, FaultyDevice second, ChannelOptions channel) {
        this.channel = channel;
        this.runners = null;
        RdmaConfig config = RdmaConfig.builder().build();
        workers.add(new Worker(0, DEVICES.get(0), first::wrap, MEMORY.get(0), config, List.of()));
        workers.add(new Worker(1, DEVICES.get(1), second::wrap, MEMORY.get(1), config, List.of()));
    }

    /// @param memory of worker 0
    LoopbackWorkers(MemoryOptions memory) {
        this(DEVICES, UnaryOperator.identity(), List.of(memory, MemoryOptions.defaults()), RemoteKeyScope.SLAB);
    }

    /// @param faults wraps the device of worker 0
    /// @param memory of each worker
    LoopbackWorkers(FaultyDevice faults, MemoryOptions memory) {
        this(DEVICES, faults::wrap, List.of(memory, memory), RemoteKeyScope.SLAB);
    }

    private LoopbackWorkers(
            List<SoftwareOptions> devices,
            UnaryOperator<ChosenPort> wrapper,
            List<MemoryOptions> memory,
            RemoteKeyScope scope) {
        this(
                devices,
                wrapper,
                memory,
                RdmaConfig.builder().rkeyScope(scope).build(),
                ChannelOptions.defaults(),
                null,
                List.of());
    }

    private LoopbackWorkers(
            List<SoftwareOptions> devices,
            UnaryOperator<ChosenPort> wrapper,
            List<MemoryOptions> memory,
            RdmaConfig config,
            ChannelOptions channel,
            @Nullable Supplier<LoopRunner> runners,
            List<Accelerator> accelerators) {
        this.channel = channel;
        this.runners = runners;
        workers.add(new Worker(0, devices.get(0), wrapper, memory.get(0), config, accelerators));
        workers.add(new Worker(1, devices.get(1), UnaryOperator.identity(), memory.get(1), config, List.of()));
    }

    /// One worker; its provider opened no other device, so that its counters are the worker's.
    final class Worker {
        final SoftwareProvider provider;
        final RdmaAdapter adapter;
        final Accelerators accelerators;
        final RdmaRendezvousManager manager;
        final EdgeManager edges;
        final PartitionManager partitions;

        private Worker(
                int index,
                SoftwareOptions device,
                UnaryOperator<ChosenPort> wrapper,
                MemoryOptions memory,
                RdmaConfig config,
                List<Accelerator> given) {
            provider = new SoftwareProvider(device);
            var options = new RdmaAdapterOptions(
                    name(index),
                    Set.of(name(0), name(1)),
                    index + 1,
                    config,
                    channel,
                    memory,
                    RdmaRendezvousManager.PIECES_AT_ONCE);
            ChosenPort port = wrapper.apply(DeviceChoice.choose(config, List.of(provider)));
            adapter = runners == null
                    ? RdmaAdapter.open(options, port, new Calls())
                    : RdmaAdapter.open(
                            options,
                            port,
                            new Calls(),
                            new AdapterRuntime(
                                    System::nanoTime,
                                    runners.get(),
                                    new BackgroundThreads("test-worker-"),
                                    new SecureRandom()));
            accelerators = Accelerators.open(
                    given,
                    adapter.memory(),
                    AcceleratorOptions.defaults().withPieces(16_384, 4).withProxyBytes(512 << 10),
                    adapter.loop(),
                    adapter.background(),
                    AcceleratorUnit::ownThread);
            manager = new RdmaRendezvousManager(
                    adapter,
                    new WorkerContext(
                            name(index),
                            Set.of(name(0), name(1)),
                            callbacks,
                            ReceiveTimer.of(timer),
                            RendezvousLimits.defaults()),
                    RendezvousOptions.defaults(),
                    accelerators,
                    null);
            edges = new EdgeManager(adapter, options.members(), new UserCode(callbacks));
            partitions = new PartitionManager(adapter, options.members(), new UserCode(callbacks));
            adapter.start(new ChannelHandlers(manager.handler(), edges.handler(), partitions.handler()));
            adapters.put(name(index), adapter);
        }

        Tensor bytes(int size, int value) {
            Tensor tensor = adapter.memory().allocator().allocate(DataType.UINT8, Shape.of(size));
            tensor.segment().fill((byte) value);
            return tensor;
        }
    }

    private final class Calls implements EndpointExchange {
        @Override
        public CompletableFuture<OfferAnswer> offer(String peer, ConnectionParameters offer) {
            return adapter(peer).acceptor().onOffer(offer);
        }

        @Override
        public CompletableFuture<Void> ready(String peer, String self, long incarnation, long connectionId) {
            return adapter(peer).acceptor().onReady(self, incarnation, connectionId);
        }
    }

    private RdmaAdapter adapter(String peer) {
        RdmaAdapter adapter = adapters.get(peer);
        if (adapter == null) {
            throw new TransportException(StatusCode.UNAVAILABLE, "not started", peer, 0, null);
        }
        return adapter;
    }

    Worker worker(int index) {
        return workers.get(index);
    }

    static String name(int index) {
        return "/job:worker/replica:0/task:" + index;
    }

    static RendezvousKey key(int producer, int consumer, String edge) {
        return RendezvousKey.of(device(producer), device(consumer), edge);
    }

    private static DeviceName device(int index) {
        return DeviceName.parse(name(index) + "/device:CPU:0");
    }

    @Override
    public void close() {
        for (Worker worker : workers) {
            worker.manager.close();
        }
        for (Worker worker : workers) {
            worker.adapter.close();
        }
        callbacks.close();
        callbackThreads.close();
        timer.close();
    }
}
