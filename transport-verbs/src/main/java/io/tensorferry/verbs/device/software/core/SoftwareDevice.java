package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.CompletionChannel;
import io.tensorferry.verbs.device.CompletionQueue;
import io.tensorferry.verbs.device.DeviceAttributes;
import io.tensorferry.verbs.device.DeviceDescription;
import io.tensorferry.verbs.device.GidEntry;
import io.tensorferry.verbs.device.PortAttributes;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.QueuePair;
import io.tensorferry.verbs.device.QueuePairOptions;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.support.OpenChildren;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An open software device with one port.
///
/// Threading: any thread; its [DeviceLoop] executes the work.
public final class SoftwareDevice implements VerbsDevice {
    private static final Logger LOG = LoggerFactory.getLogger(SoftwareDevice.class);
    private static final int PORT = 1;
    private static final int NUMBER_MASK = 0xFF_FFFF;
    /// Queue pairs 0 and 1 are reserved for subnet management.
    private static final int FIRST_NUMBER = 2;

    private final DeviceProfile profile;
    private final Carrier carrier;
    private final PayloadCounters counters;
    private final KeyTable keys;
    private final Map<Integer, SoftwareQueuePair> queuePairs = new ConcurrentHashMap<>();
    private final OpenChildren children = new OpenChildren("device");
    private final OpenChildren regions;
    private final OpenChildren windows;
    private final OpenChildren queuePairCount;
    private final Object numberLock = new Object();
    private int lastNumber;
    private volatile boolean failed;
    private volatile boolean portDown;
    private volatile Consumer<AsyncEvent> listener = event -> {};

    private SoftwareDevice(DeviceProfile profile, Carrier carrier, PayloadCounters counters, RandomGenerator random) {
        this.profile = profile;
        this.carrier = carrier;
        this.counters = counters;
        this.keys = new KeyTable(random);
        this.regions =
                new OpenChildren("device's set of regions", profile.attributes().maxMemoryRegions());
        this.windows =
                new OpenChildren("device's set of windows", profile.attributes().maxMemoryWindows());
        this.queuePairCount = new OpenChildren(
                "device's set of queue pairs", profile.attributes().maxQueuePairs());
        this.lastNumber = random.nextInt(NUMBER_MASK);
    }

    /// Opens a device on a carrier. The device takes ownership of the carrier.
    ///
    /// @param random the source of keys and of the first queue pair number; must be unpredictable outside a simulation
    public static SoftwareDevice open(
            DeviceProfile profile, Carrier carrier, PayloadCounters counters, RandomGenerator random) {
        var device = new SoftwareDevice(profile, carrier, counters, random);
        carrier.start(device);
        return device;
    }

    @Override
    public String name() {
        return profile.name();
    }

    @Override
    public DeviceDescription description() {
        return DeviceDescription.software();
    }

    @Override
    public DeviceAttributes attributes() {
        return profile.attributes();
    }

    @Override
    public PortAttributes port(int portNumber) {
        requirePort(portNumber);
        return new PortAttributes(
                failed || portDown ? PortAttributes.PortState.DOWN : PortAttributes.PortState.ACTIVE,
                PortAttributes.LinkLayer.ETHERNET,
                profile.mtu(),
                profile.mtu(),
                profile.maxMessageBytes(),
                carrier.gidTableLength(),
                1,
                carrier.lid(),
                0,
                0);
    }

    @Override
    public GidEntry gid(int portNumber, int index) {
        requirePort(portNumber);
        int last = carrier.gidTableLength() - 1;
        if (index < 0 || index > last) {
            throw new IllegalArgumentException(
                    "GID index " + index + " does not exist: the table has the entries 0 to " + last);
        }
        return new GidEntry(index, carrier.gid(index), GidEntry.Type.ROCE_V2);
    }

    @Override
    public int partitionKey(int portNumber, int index) {
        requirePort(portNumber);
        if (index != 0) {
            throw new VerbsException(
                    "ibv_query_pkey",
                    VerbsException.EINVAL,
                    "P_Key index " + index + " does not exist: the table has one entry");
        }
        return carrier.partitionKey();
    }

    private static void requirePort(int portNumber) {
        if (portNumber != PORT) {
            throw new IllegalArgumentException("port " + portNumber + " does not exist: there is only port " + PORT);
        }
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        OpenChildren.add("ibv_alloc_pd", children);
        return new SoftwareProtectionDomain(this);
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        OpenChildren.add("ibv_create_comp_channel", children);
        return new SoftwareCompletionChannel(this);
    }

    @Override
    public CompletionQueue createCompletionQueue(int minimumEntries, @Nullable CompletionChannel channel) {
        String verb = "ibv_create_cq";
        int most = attributes().maxCompletionQueueEntries();
        if (minimumEntries < 1 || minimumEntries > most) {
            throw new VerbsException(verb, VerbsException.EINVAL, minimumEntries + " entries are not in 1.." + most);
        }
        if (channel != null && !(channel instanceof SoftwareCompletionChannel)) {
            throw new VerbsException(verb, VerbsException.EINVAL, "the completion channel belongs to another device");
        }
        var own = (SoftwareCompletionChannel) channel;
        if (own == null) {
            OpenChildren.add(verb, children);
        } else {
            OpenChildren.add(verb, children, own.queues());
        }
        return new SoftwareCompletionQueue(this, minimumEntries, own);
    }

    QueuePair createQueuePair(SoftwareProtectionDomain domain, OpenChildren domainChildren, QueuePairOptions options) {
        String verb = "ibv_create_qp";
        int most = attributes().maxWorkRequests();
        requireDepth(options.sendDepth(), most);
        requireDepth(options.receiveDepth(), most);
        if (!(options.sendCompletions() instanceof SoftwareCompletionQueue sends)
                || !(options.receiveCompletions() instanceof SoftwareCompletionQueue receives)
                || !sends.belongsTo(this)
                || !receives.belongsTo(this)) {
            throw new VerbsException(verb, VerbsException.EINVAL, "a completion queue belongs to another device");
        }
        OpenChildren.add(verb, queuePairCount, domainChildren, sends.uses(), receives.uses());
        synchronized (numberLock) {
            var queuePair = new SoftwareQueuePair(
                    this,
                    domain,
                    domainChildren,
                    nextNumber(),
                    sends,
                    receives,
                    options.sendDepth(),
                    options.receiveDepth(),
                    carrier);
            queuePairs.put(queuePair.number(), queuePair);
            sends.attach(queuePair);
            receives.attach(queuePair);
            return queuePair;
        }
    }

    private static void requireDepth(int depth, int most) {
        if (depth < 1 || depth > most) {
            throw new VerbsException(
                    "ibv_create_qp", VerbsException.EINVAL, "a queue depth of " + depth + " is not in 1.." + most);
        }
    }

    /// Counts up, so that a number recurs only after all others: a late message for a destroyed queue pair matches no
    /// queue pair.
    private int nextNumber() {
        do {
            lastNumber = Math.max(FIRST_NUMBER, lastNumber + 1 & NUMBER_MASK);
        } while (queuePairs.containsKey(lastNumber));
        return lastNumber;
    }

    void forget(SoftwareQueuePair queuePair) {
        if (queuePairs.remove(queuePair.number(), queuePair)) {
            queuePairCount.remove();
        }
    }

    /// The queue pair with this number; null if there is none.
    public @Nullable SoftwareQueuePair queuePair(int number) {
        return queuePairs.get(number);
    }

    @Override
    public void onAsyncEvent(Consumer<AsyncEvent> newListener) {
        listener = newListener;
    }

    /// Reports an event. On the loop.
    void raise(AsyncEvent.Type type, int number) {
        try {
            listener.accept(new AsyncEvent(type, number));
        } catch (RuntimeException failure) {
            LOG.warn("{}: the listener for asynchronous events failed on {}", name(), type, failure);
        }
    }

    /// Reports an event without changing any state. On the loop.
    public void report(AsyncEvent event) {
        raise(event.type(), event.number());
    }

    /// Takes the port down or up and reports the change. The carrier must drop messages sent while the port is down. On
    /// the loop.
    public void setPortDown(boolean down) {
        if (portDown != down) {
            portDown = down;
            raise(down ? AsyncEvent.Type.PORT_ERR : AsyncEvent.Type.PORT_ACTIVE, PORT);
        }
    }

    /// Fails the completion queue of this queue pair as an overrun would. On the loop.
    public void failCompletionQueueOf(SoftwareQueuePair queuePair) {
        queuePair.failCompletionQueue();
    }

    /// Fails the device: every queue pair goes to ERR and cannot leave it. On the loop.
    public void fail() {
        if (!failed) {
            failed = true;
            raise(AsyncEvent.Type.DEVICE_FATAL, 0);
            forEachQueuePair(SoftwareQueuePair::enterError);
        }
    }

    /// Applies `action` to every queue pair, in ascending order of number.
    public void forEachQueuePair(Consumer<SoftwareQueuePair> action) {
        queuePairs.values().stream()
                .sorted(Comparator.comparingInt(SoftwareQueuePair::number))
                .forEach(action);
    }

    boolean hasFailed() {
        return failed;
    }

    public PayloadCounters counters() {
        return counters;
    }

    public DeviceLoop loop() {
        return carrier.loop();
    }

    long maxMessageBytes() {
        return profile.maxMessageBytes();
    }

    MemorySegment allocate(Arena arena, long bytes, long alignment) {
        return carrier.allocate(arena, bytes, alignment);
    }

    int gidTableLength() {
        return carrier.gidTableLength();
    }

    int activeMtu() {
        return profile.mtu();
    }

    KeyTable keys() {
        return keys;
    }

    OpenChildren children() {
        return children;
    }

    /// Counts the memory regions of all protection domains.
    OpenChildren regions() {
        return regions;
    }

    /// Counts the memory windows of all protection domains.
    OpenChildren windows() {
        return windows;
    }

    @Override
    public void close() {
        if (children.close("ibv_close_device")) {
            carrier.close();
        }
    }
}
