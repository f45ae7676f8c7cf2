package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A network of software devices in one process, under a virtual clock that the caller advances.
///
/// Each node has a device `soft0`. Events run only in [#runNext()] and [#advance]: a test posts, advances the clock,
/// and polls. The seed determines delays (and with them the order of completions on different queue pairs), keys and
/// queue pair numbers. The same seed and the same calls give the same run and the same [#fingerprint()]. Memory
/// addresses differ between runs, so no behaviour here depends on them.
///
/// Threading: one thread makes all calls to this object and to the devices, and runs all listeners. A wait on a
/// completion channel returns at once.
public final class SimulatedFabric {
    /// The name of each node's device.
    public static final String DEVICE = "soft0";

    private static final int NETWORK = 10 << 24;

    private final SimulatedFabricOptions options;
    private final SplittableRandom random;
    private final VirtualClock clock = new VirtualClock();
    private final Map<String, Integer> nodeNumbers = new LinkedHashMap<>();
    private final List<SimulatedCarrier> carriers = new ArrayList<>();
    private final Map<String, Long> isolatedUntil = new LinkedHashMap<>();
    private final Map<List<String>, Long> separatedUntil = new LinkedHashMap<>();
    private final PayloadCounters counters = new PayloadCounters();
    private final InjectedFaults faults = new InjectedFaults();
    private int lastLid;
    private long fingerprint = 1;

    public SimulatedFabric(long seed) {
        this(seed, SimulatedFabricOptions.defaults());
    }

    public SimulatedFabric(long seed, SimulatedFabricOptions options) {
        this.options = options;
        this.random = new SplittableRandom(seed);
    }

    /// Nanoseconds of virtual time since the start.
    public long now() {
        return clock.now();
    }

    /// Schedules `action` after `delayNs`. The action is part of the reproducible run: any randomness in it must come
    /// from [#random()].
    public void schedule(long delayNs, Runnable action) {
        clock.schedule(delayNs, action);
    }

    /// Advances to the next event and runs it.
    ///
    /// @return false if no event is scheduled
    public boolean runNext() {
        boolean ran = clock.runNext();
        if (ran) {
            mix(clock.now());
        }
        return ran;
    }

    /// Runs all events of the next `durationNs` and advances the clock to the end of that interval.
    public void advance(long durationNs) {
        clock.advance(durationNs);
        mix(clock.now());
    }

    /// The number of scheduled events.
    public int pendingEvents() {
        return clock.pending();
    }

    /// The random generator that determines the whole run.
    public RandomGenerator random() {
        return random;
    }

    /// A hash of all events so far: runs with equal fingerprints took the same course.
    public long fingerprint() {
        return fingerprint;
    }

    void mix(long value) {
        fingerprint = Long.rotateLeft(fingerprint * 0x9E37_79B9_7F4A_7C15L ^ value, 23);
    }

    /// The devices of a node. The first call with a name creates the node. Each opening creates a separate device; a
    /// device opened after [#killNode] belongs to the restarted node.
    public VerbsProvider provider(String node) {
        nodeNumbers.computeIfAbsent(node, name -> nodeNumbers.size() + 1);
        return new SimulatedProvider(this, node);
    }

    /// Ends a node as SIGKILL ends a process: its devices stop and answer nothing. Requests in flight are lost, and a
    /// WRITE may be applied in part. Peers detect the loss when their retries are exhausted.
    public void killNode(String node) {
        for (SimulatedCarrier carrier : carriersOf(node)) {
            carrier.kill();
        }
    }

    /// Fails the devices of a node: DEVICE_FATAL is raised and all their queue pairs go to ERR.
    public void failDevice(String node) {
        for (SimulatedCarrier carrier : carriersOf(node)) {
            carrier.fail();
        }
    }

    /// Makes the next send-queue request of a node that the peer executes complete with this status. Its queue pair
    /// goes to ERR.
    ///
    /// @throws IllegalArgumentException if `status` is a success
    public void failNextSend(String node, WorkStatus status) {
        faults.addSend(node, status);
    }

    /// Makes the next receive of a node complete with this status, without the received message. Its queue pair goes to
    /// ERR.
    ///
    /// @throws IllegalArgumentException if `status` is a success
    public void failNextReceive(String node, WorkStatus status) {
        faults.addReceive(node, status);
    }

    /// Makes the devices of a node report an event, without any other effect.
    public void raise(String node, AsyncEvent event) {
        for (SimulatedCarrier carrier : carriersOf(node)) {
            carrier.report(event);
        }
    }

    /// Fails the completion queue of one queue pair of a node as an overrun would: CQ_ERR, QP_FATAL for each attached
    /// queue pair, and failing polls.
    ///
    /// @return false if the node has no queue pair
    public boolean failCompletionQueue(String node) {
        return carriersOf(node).stream().anyMatch(SimulatedCarrier::failCompletionQueue);
    }

    /// Takes the port of a node down: PORT_ERR, and no message passes until [#portUp].
    public void portDown(String node) {
        isolatedUntil.put(node, Long.MAX_VALUE);
        carriersOf(node).forEach(carrier -> carrier.setPortDown(true));
    }

    /// Brings the port of a node back up: PORT_ACTIVE.
    public void portUp(String node) {
        isolatedUntil.remove(node);
        carriersOf(node).forEach(carrier -> carrier.setPortDown(false));
    }

    /// Assigns a new LID to the port of a node, as a subnet manager does: LID_CHANGE. Messages to the old LID are lost.
    public void changeLid(String node) {
        change(node, AsyncEvent.Type.LID_CHANGE, port -> port.setLid(nextLid()));
    }

    /// Adds a GID to the port of a node: GID_CHANGE. A GID that was removed before gets another index.
    public void addGid(String node, Gid gid) {
        change(node, AsyncEvent.Type.GID_CHANGE, port -> port.addGid(gid));
    }

    /// Removes a GID from the port of a node: GID_CHANGE. Queue pairs can no longer send with it.
    public void removeGid(String node, Gid gid) {
        change(node, AsyncEvent.Type.GID_CHANGE, port -> port.removeGid(gid));
    }

    /// Assigns a new partition key to the port of a node, as a subnet manager does: PKEY_CHANGE. The node reaches only
    /// ports with the same key.
    public void changePartitionKey(String node, int key) {
        change(node, AsyncEvent.Type.PKEY_CHANGE, port -> port.setPartitionKey(key));
    }

    private void change(String node, AsyncEvent.Type event, Consumer<SimulatedPort> action) {
        for (SimulatedCarrier carrier : carriersOf(node)) {
            action.accept(carrier.port());
            carrier.report(new AsyncEvent(event, 1));
        }
    }

    /// Disconnects a node from all others for a time. Requests are retried until the retries are exhausted.
    public void isolate(String node, long durationNs) {
        isolatedUntil.put(node, clock.now() + durationNs);
    }

    /// Disconnects two nodes from each other for a time.
    public void partition(String one, String other, long durationNs) {
        separatedUntil.put(pair(one, other), clock.now() + durationNs);
    }

    private static List<String> pair(String one, String other) {
        return one.compareTo(other) <= 0 ? List.of(one, other) : List.of(other, one);
    }

    private List<SimulatedCarrier> carriersOf(String node) {
        return carriers.stream().filter(carrier -> carrier.node().equals(node)).toList();
    }

    void add(SimulatedCarrier carrier) {
        carriers.add(carrier);
    }

    void remove(SimulatedCarrier carrier) {
        carriers.remove(carrier);
    }

    /// The initial GID of a node's port.
    public Gid gidOf(String node) {
        Integer number = nodeNumbers.get(node);
        if (number == null) {
            throw new VerbsException("ibv_open_device", VerbsException.ENODEV, "there is no node " + node);
        }
        return Gid.ofIpv4(NETWORK + number);
    }

    /// Allocates an unused LID.
    int nextLid() {
        return ++lastLid & 0xFFFF;
    }

    /// The live device at this address, if `from` can reach it now; null otherwise.
    @Nullable
    SimulatedCarrier reachable(SimulatedCarrier from, Gid gid, int lid) {
        for (SimulatedCarrier carrier : carriers) {
            if (carrier.lid() == lid && carrier.port().hasGid(gid)) {
                return carrier.isAlive() && connected(from.node(), carrier.node()) ? carrier : null;
            }
        }
        return null;
    }

    private boolean connected(String one, String other) {
        if (one.equals(other)) {
            return true;
        }
        long now = clock.now();
        return isolatedUntil.getOrDefault(one, 0L) <= now
                && isolatedUntil.getOrDefault(other, 0L) <= now
                && separatedUntil.getOrDefault(pair(one, other), 0L) <= now;
    }

    /// Draws the delay of a message of this size.
    long drawDelay(long bytes) {
        long delay = random.nextLong(options.leastDelayNs(), options.mostDelayNs() + 1)
                + bytes * 1_000 / options.bytesPerMicrosecond();
        boolean spike = random.nextDouble() < options.spikeProbability();
        return spike ? delay + random.nextLong(options.spikeNs() + 1) : delay;
    }

    /// Draws whether to corrupt a message with this immediate; 0 stands for none.
    boolean drawCorruption(int immediate) {
        return options.corruptionProbability() > 0
                && options.corruptible().test(immediate)
                && random.nextDouble() < options.corruptionProbability();
    }

    InjectedFaults faults() {
        return faults;
    }

    SimulatedFabricOptions options() {
        return options;
    }

    PayloadCounters counters() {
        return counters;
    }
}
