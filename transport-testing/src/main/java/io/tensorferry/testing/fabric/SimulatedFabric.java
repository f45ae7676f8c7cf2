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

/// A network of software devices in one process, under a virtual clock that the caller turns.
///
/// Each node has a device `soft0`. Nothing happens but in [#runNext()] and [#advance]: a test posts, turns the
/// clock, polls. Delays, and with them the order of completions on different queue pairs, keys and queue pair
/// numbers come from the seed: the same seed and the same calls give the same run, and the same [#fingerprint()].
/// Memory addresses do not, so nothing here depends on them.
///
/// Threading: one thread does everything: calls this, uses the devices, is called by listeners. Waiting on a
/// completion channel returns at once.
public final class SimulatedFabric {
    /// The device's name on each node.
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

    /// Nanoseconds since the start.
    public long now() {
        return clock.now();
    }

    /// Has `action` run at a time from now. It is part of the run: what a driver does by chance, it does with
    /// [#random()].
    public void schedule(long delayNs, Runnable action) {
        clock.schedule(delayNs, action);
    }

    /// Goes on to the next event and runs it.
    ///
    /// @return false if nothing more will happen
    public boolean runNext() {
        boolean ran = clock.runNext();
        if (ran) {
            mix(clock.now());
        }
        return ran;
    }

    /// Runs all events of the next `durationNs`; the clock stands at their end.
    public void advance(long durationNs) {
        clock.advance(durationNs);
        mix(clock.now());
    }

    /// Events that are to come.
    public int pendingEvents() {
        return clock.pending();
    }

    /// The chance from which everything follows.
    public RandomGenerator random() {
        return random;
    }

    /// A number that depends on all that has happened: two runs that agree in it went the same way.
    public long fingerprint() {
        return fingerprint;
    }

    void mix(long value) {
        fingerprint = Long.rotateLeft(fingerprint * 0x9E37_79B9_7F4A_7C15L ^ value, 23);
    }

    /// The devices of a node, which exists from the first time that it is named. Each opening is a device of its
    /// own; one that is opened after the node was killed is the node's next life.
    public VerbsProvider provider(String node) {
        nodeNumbers.computeIfAbsent(node, name -> nodeNumbers.size() + 1);
        return new SimulatedProvider(this, node);
    }

    /// Ends a node as SIGKILL ends a process: its devices do and answer nothing from now on. Requests that were on
    /// their way are lost, and a write may have come halfway. Peers notice when their retries are used up.
    public void killNode(String node) {
        for (SimulatedCarrier carrier : carriersOf(node)) {
            carrier.kill();
        }
    }

    /// Breaks the devices of a node: DEVICE_FATAL is raised and all its queue pairs go to ERR.
    public void failDevice(String node) {
        for (SimulatedCarrier carrier : carriersOf(node)) {
            carrier.fail();
        }
    }

    /// The next send-queue request of a node that the peer has carried out completes with this status instead, and
    /// its queue pair goes to ERR.
    ///
    /// @throws IllegalArgumentException if `status` is a success
    public void failNextSend(String node, WorkStatus status) {
        faults.addSend(node, status);
    }

    /// The next receive of a node completes with this status instead of with what arrived, and its queue pair goes
    /// to ERR.
    ///
    /// @throws IllegalArgumentException if `status` is a success
    public void failNextReceive(String node, WorkStatus status) {
        faults.addReceive(node, status);
    }

    /// The devices of a node report an event; nothing else happens.
    public void raise(String node, AsyncEvent event) {
        for (SimulatedCarrier carrier : carriersOf(node)) {
            carrier.report(event);
        }
    }

    /// The completion queue of one queue pair of a node fails as if it had been overrun: CQ_ERR, QP_FATAL of each of
    /// its queue pairs, and polls fail.
    ///
    /// @return false if the node has no queue pair
    public boolean failCompletionQueue(String node) {
        return carriersOf(node).stream().anyMatch(SimulatedCarrier::failCompletionQueue);
    }

    /// The port of a node goes down: PORT_ERR, and nothing gets through until [#portUp].
    public void portDown(String node) {
        isolatedUntil.put(node, Long.MAX_VALUE);
        carriersOf(node).forEach(carrier -> carrier.setPortDown(true));
    }

    /// The port of a node comes back: PORT_ACTIVE.
    public void portUp(String node) {
        isolatedUntil.remove(node);
        carriersOf(node).forEach(carrier -> carrier.setPortDown(false));
    }

    /// The subnet manager gives the port of a node another LID: LID_CHANGE. What is sent to the old one is lost.
    public void changeLid(String node) {
        change(node, AsyncEvent.Type.LID_CHANGE, port -> port.setLid(nextLid()));
    }

    /// The port of a node gets a GID: GID_CHANGE. One that it had before comes back at another index.
    public void addGid(String node, Gid gid) {
        change(node, AsyncEvent.Type.GID_CHANGE, port -> port.addGid(gid));
    }

    /// The port of a node loses a GID: GID_CHANGE. Queue pairs send no more under it.
    public void removeGid(String node, Gid gid) {
        change(node, AsyncEvent.Type.GID_CHANGE, port -> port.removeGid(gid));
    }

    /// The subnet manager gives the port of a node another partition key: PKEY_CHANGE. It reaches those that have the
    /// same.
    public void changePartitionKey(String node, int key) {
        change(node, AsyncEvent.Type.PKEY_CHANGE, port -> port.setPartitionKey(key));
    }

    private void change(String node, AsyncEvent.Type event, Consumer<SimulatedPort> action) {
        for (SimulatedCarrier carrier : carriersOf(node)) {
            action.accept(carrier.port());
            carrier.report(new AsyncEvent(event, 1));
        }
    }

    /// Cuts a node off from all others for a time; what is sent meanwhile is sent again until the retries are used
    /// up.
    public void isolate(String node, long durationNs) {
        isolatedUntil.put(node, clock.now() + durationNs);
    }

    /// Cuts two nodes off from each other for a time.
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

    /// The GID that a node's port has at its start.
    public Gid gidOf(String node) {
        Integer number = nodeNumbers.get(node);
        if (number == null) {
            throw new VerbsException("ibv_open_device", VerbsException.ENODEV, "there is no node " + node);
        }
        return Gid.ofIpv4(NETWORK + number);
    }

    /// A LID that no device has had.
    int nextLid() {
        return ++lastLid & 0xFFFF;
    }

    /// The living device with this address that `from` can reach now; null if there is none.
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

    /// How long a message of this size is on its way.
    long drawDelay(long bytes) {
        long delay = random.nextLong(options.leastDelayNs(), options.mostDelayNs() + 1)
                + bytes * 1_000 / options.bytesPerMicrosecond();
        boolean spike = random.nextDouble() < options.spikeProbability();
        return spike ? delay + random.nextLong(options.spikeNs() + 1) : delay;
    }

    /// Whether a message with this immediate, 0 for none, is corrupted.
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
