package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.IbverbsLibrary;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.bindings.ibverbs.ibv_context;
import io.tensorferry.bindings.ibverbs.ibv_device_attr;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.support.OpenChildren;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An open device (`ibv_context`).
///
/// Threading: any thread.
final class IbverbsDevice implements VerbsDevice {
    private static final Logger LOG = LoggerFactory.getLogger(IbverbsDevice.class);
    private final String name;
    private final MemorySegment context;
    private final IbverbsLibrary.Present library;
    private final IbverbsOptions options;
    private final DeviceDescription description;
    private final DeviceAttributes attributes;
    private final OpenChildren children;
    private final OpenChildren regions;
    private final OpenChildren windows;
    private final OpenChildren queuePairs;
    private final AsyncEvents events;

    /// Takes ownership of `context` on success.
    IbverbsDevice(
            String name,
            MemorySegment device,
            MemorySegment context,
            IbverbsLibrary.Present library,
            IbverbsOptions options) {
        this.name = name;
        this.context = context;
        this.library = library;
        this.options = options;
        try (var call = new NativeCall()) {
            MemorySegment limits = ibv_device_attr.allocate(call);
            VerbsCheck.returnedErrno(
                    "ibv_query_device",
                    Ibverbs.ibv_query_device(context, limits),
                    () -> "cannot read the limits of " + name);
            description = DeviceQueries.description(device, limits);
            attributes = DeviceQueries.attributes(limits, description.transport());
        }
        children = new OpenChildren("device " + name);
        regions = new OpenChildren("device's set of regions", attributes.maxMemoryRegions());
        windows = new OpenChildren("device's set of windows", attributes.maxMemoryWindows());
        queuePairs = new OpenChildren("device's set of queue pairs", attributes.maxQueuePairs());
        events = new AsyncEvents(name, context);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public DeviceDescription description() {
        return description;
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    /// Read from the kernel's files about the parent device; a virtual device has none.
    @Override
    public int numaNode() {
        try {
            return Integer.parseInt(Files.readString(Path.of("/sys/class/infiniband", name, "device/numa_node"))
                    .strip());
        } catch (IOException | NumberFormatException e) {
            LOG.debug("the NUMA node of {} is unknown", name, e);
            return -1;
        }
    }

    @Override
    public PortAttributes port(int portNumber) {
        if (portNumber < 1 || portNumber > attributes.portCount()) {
            throw new IllegalArgumentException(
                    "port " + portNumber + " does not exist: " + name + " has ports 1 to " + attributes.portCount());
        }
        return DeviceQueries.port(context, portNumber);
    }

    @Override
    public GidEntry gid(int portNumber, int index) {
        try {
            return DeviceQueries.gid(context, portNumber, index);
        } catch (VerbsException e) {
            // Queried only here: a caller that reads a table of a thousand entries would otherwise query the port for
            // each of them.
            int length = port(portNumber).gidTableLength();
            if (index < 0 || index >= length) {
                throw new IllegalArgumentException(
                        "GID index " + index + ", but the table of port " + portNumber + " of " + name
                                + " has the entries 0 to " + (length - 1),
                        e);
            }
            throw e;
        }
    }

    @Override
    public @Nullable String gidObstacle(int portNumber, int index) {
        return NetworkNamespace.OWN.obstacle(
                name, portNumber, index, DeviceQueries.gidInterface(context, portNumber, index));
    }

    @Override
    public int partitionKey(int portNumber, int index) {
        try {
            return DeviceQueries.partitionKey(context, portNumber, index);
        } catch (VerbsException e) {
            PortAttributes port = port(portNumber);
            if (port.linkLayer() == PortAttributes.LinkLayer.ETHERNET && index < port.pkeyTableLength()) {
                // The library reads the key from a file that a container may lack. RoCE has only the default key.
                LOG.debug("cannot read the partition keys of {}; the default key is assumed", name, e);
                return DEFAULT_PARTITION_KEY;
            }
            throw e;
        }
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        OpenChildren.add("ibv_alloc_pd", children);
        try {
            return new IbverbsProtectionDomain(this);
        } catch (RuntimeException e) {
            children.remove();
            throw e;
        }
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        OpenChildren.add("ibv_create_comp_channel", children);
        try {
            return new IbverbsCompletionChannel(this);
        } catch (RuntimeException e) {
            children.remove();
            throw e;
        }
    }

    @Override
    public int completionVectors() {
        return Math.max(1, ibv_context.num_comp_vectors(context));
    }

    @Override
    public CompletionQueue createCompletionQueue(int minimumEntries, @Nullable CompletionChannel channel) {
        return createCompletionQueue(minimumEntries, channel, 0);
    }

    @Override
    public CompletionQueue createCompletionQueue(int minimumEntries, @Nullable CompletionChannel channel, int vector) {
        String verb = "ibv_create_cq";
        int most = attributes.maxCompletionQueueEntries();
        if (minimumEntries < 1 || minimumEntries > most) {
            throw new VerbsException(
                    verb, VerbsException.EINVAL, minimumEntries + " entries are not in 1.." + most + " of " + name);
        }
        IbverbsCompletionChannel own = null;
        if (channel != null) {
            if (!(channel instanceof IbverbsCompletionChannel candidate && candidate.belongsTo(this))) {
                throw new VerbsException(
                        verb, VerbsException.EINVAL, "the completion channel belongs to another device");
            }
            own = candidate;
        }
        // A failure of the queue is reported as an asynchronous event, so the thread that reads these must be running.
        events.start();
        return IbverbsCompletionQueue.create(this, minimumEntries, own, vector);
    }

    @Override
    public void onAsyncEvent(Consumer<AsyncEvent> listener) {
        events.setListener(listener);
        events.start();
    }

    MemorySegment context() {
        return context;
    }

    IbverbsLibrary.Present library() {
        return library;
    }

    IbverbsOptions options() {
        return options;
    }

    AsyncEvents events() {
        return events;
    }

    /// Counts protection domains, completion channels and completion queues.
    OpenChildren children() {
        return children;
    }

    OpenChildren regions() {
        return regions;
    }

    OpenChildren windows() {
        return windows;
    }

    OpenChildren queuePairs() {
        return queuePairs;
    }

    @Override
    public void close() {
        String verb = "ibv_close_device";
        if (children.close(verb)) {
            events.close();
            VerbsCheck.returnedErrno(verb, Ibverbs.ibv_close_device(context), () -> name + " is not closed");
        }
    }
}
