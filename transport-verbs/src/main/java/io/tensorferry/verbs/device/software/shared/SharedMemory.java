package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.software.core.Bell;
import io.tensorferry.verbs.device.software.core.PayloadCounters;
import io.tensorferry.verbs.device.software.core.SoftwareQueuePair;
import io.tensorferry.verbs.device.software.loop.DeviceEventLoop;
import io.tensorferry.verbs.device.software.loop.PolledWork;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The memory that one device shares with the other devices of its host: the files that peers map, and the peers' files
/// that it has mapped.
///
/// Threading: on the loop, except [#allocate], [#close()] and the methods of [PolledWork].
public final class SharedMemory implements PolledWork, AutoCloseable {
    // A wake-up takes microseconds, a sleep of a bell a tenth of a second at most.
    private static final long CLOSE_PATIENCE_NS = TimeUnit.SECONDS.toNanos(5);
    private static final Logger LOG = LoggerFactory.getLogger(SharedMemory.class);
    /// The [LongCopyThread] copies payload longer than this; posting and polling threads copy shorter payload.
    static final long LONG_BYTES = 64 * 1024;
    /// The size of one piece, which limits how long a thread that ends access waits. From 2.5 MiB the JDK's copy
    /// bypasses the caches, which nearly doubles its speed.
    static final long PIECE_BYTES = 4 << 20;

    private static final int OWN_PROCESS = (int) ProcessHandle.current().pid();

    private final DeviceEventLoop loop;
    private final PayloadCounters counters;
    private final long number;
    private final Arena arena = Arena.ofShared();
    private final MemoryFile deviceMemory;
    private final MemoryFile tableMemory;
    private final DeviceFile device;
    private final OwnFiles files;
    private final LongCopyThread copyThread;
    private final AtomicInteger sleepers = new AtomicInteger();
    private final @Nullable Line[] lines = new Line[DeviceFile.LINES];
    private final BitSet usedLines = new BitSet();
    private final List<PeerDevice> peers = new ArrayList<>();
    private volatile boolean idle = true;

    /// The reason why this process cannot share memory with others; null if it can.
    public static @Nullable String obstacle() {
        return MemoryFile.obstacle();
    }

    /// @param random the source of the device's number; must be unpredictable
    /// @throws VerbsException if the system provides no memory that can be shared
    public SharedMemory(DeviceEventLoop loop, PayloadCounters counters, RandomGenerator random, String deviceName) {
        this.loop = loop;
        this.counters = counters;
        this.number = random.nextLong();
        try {
            this.deviceMemory = DeviceFile.create(number, arena);
            this.tableMemory = FileTable.create(number, arena);
        } catch (IOException failure) {
            arena.close();
            throw new VerbsException(
                    "ibv_open_device", VerbsException.EIO, "cannot create memory to share: " + failure.getMessage());
        }
        this.device = DeviceFile.of(deviceMemory);
        this.files = new OwnFiles(FileTable.of(tableMemory));
        this.copyThread = new LongCopyThread(this, loop, device, "tensorferry-" + deviceName + "-copy");
    }

    /// Creates a ring for the requests of a queue pair, to be offered to its peer; null if all lines are in use, or the
    /// system provides no memory.
    public @Nullable RingRequester requester(SoftwareQueuePair queuePair) {
        // Requesters use the first lines, responders the last ones, and lines are served in this order. So the answers
        // to a request are processed before any request that the peer sent because of it.
        int line = usedLines.nextClearBit(0);
        if (line >= DeviceFile.LINES) {
            return null;
        }
        try {
            var requester = new RingRequester(this, queuePair, line);
            put(line, requester);
            return requester;
        } catch (IOException failure) {
            LOG.warn("queue pair {} cannot offer shared memory to its peer", queuePair.number(), failure);
            return null;
        }
    }

    /// Creates the responder's end of the ring that a peer offers; null if the ring cannot be used.
    ///
    /// @param frame the frame that the peer filled by [RingEnd#putOffer]; untrusted, since any process may have sent it
    public @Nullable RingEnd responder(SoftwareQueuePair queuePair, int rnrRetry, ByteBuffer frame) {
        Offer offer = Offer.read(frame);
        int line = usedLines.previousClearBit(DeviceFile.LINES - 1);
        if (line < 0 || !offer.isPlausible()) {
            return null;
        }
        PeerDevice peer = null;
        try {
            peer = peer(offer);
            peer.readTable(offer);
            var responder = new RingResponder(this, queuePair, rnrRetry, peer, offer, line);
            put(line, responder);
            return responder;
        } catch (IOException failure) {
            if (peer != null) {
                release(peer);
            }
            report(queuePair, offer, failure);
            return null;
        }
    }

    void report(SoftwareQueuePair queuePair, Offer offer, IOException failure) {
        LOG.warn(
                "queue pair {} cannot share memory with its peer in process {}: {}",
                queuePair.number(),
                offer.process(),
                failure.getMessage());
    }

    /// The device of an offer or its answer. Adds one use.
    PeerDevice peer(Offer offer) throws IOException {
        for (PeerDevice known : peers) {
            if (known.is(offer)) {
                known.use();
                return known;
            }
        }
        var peer = new PeerDevice(offer);
        peer.use();
        peers.add(peer);
        LOG.info("the device shares memory with a device of process {}", offer.process());
        return peer;
    }

    void release(PeerDevice peer) {
        if (peer.release()) {
            peers.remove(peer);
        }
    }

    private void put(int at, Line line) {
        usedLines.set(at);
        lines[at] = line;
        idle = false;
        copyThread.startOnce();
        copyThread.wakeIfAsleep();
    }

    void removeLine(int at) {
        usedLines.clear(at);
        lines[at] = null;
        idle = usedLines.isEmpty();
    }

    /// Whether no line is in use. Any thread.
    boolean isIdle() {
        return idle;
    }

    Offer offer(int ringDescriptor, int line) {
        return new Offer(
                OWN_PROCESS, deviceMemory.descriptor(), ringDescriptor, number, line, tableMemory.descriptor());
    }

    DeviceEventLoop loop() {
        return loop;
    }

    PayloadCounters counters() {
        return counters;
    }

    OwnFiles files() {
        return files;
    }

    LongCopyThread copyThread() {
        return copyThread;
    }

    long number() {
        return number;
    }

    /// Schedules another service of a line behind other waiting work.
    void again(int line) {
        device.mark(line);
    }

    @Override
    public boolean isRung() {
        return device.isMarked();
    }

    @Override
    public void serve() {
        for (long groups = device.takeGroups(); groups != 0; groups &= groups - 1) {
            int group = Long.numberOfTrailingZeros(groups);
            for (long bits = device.takeLines(group); bits != 0; bits &= bits - 1) {
                Line line = lines[group << 6 | Long.numberOfTrailingZeros(bits)];
                if (line != null) {
                    line.rung();
                }
            }
        }
    }

    @Override
    public void leave() {
        copyThread.wakeIfAsleep();
    }

    /// Checks every ring, and unmaps the files that peers have freed.
    void serveAll() {
        for (int at = usedLines.nextSetBit(0); at >= 0; at = usedLines.nextSetBit(at + 1)) {
            Line line = lines[at];
            if (line != null) {
                line.rung();
            }
        }
        peers.forEach(PeerDevice::forgetGone);
    }

    @Override
    public void polled() {
        if (!idle) {
            copyThread.polled();
        }
    }

    @Override
    public void awaitCopies() {
        copyThread.awaitCopy();
    }

    /// Registers a thread that is about to sleep on a bell.
    void addSleeper() {
        if (sleepers.incrementAndGet() == 1) {
            device.addSleeper(DeviceFile.AWAITING);
        }
    }

    void removeSleeper() {
        if (sleepers.decrementAndGet() == 0) {
            device.removeSleeper(DeviceFile.AWAITING);
        }
    }

    void wakeSleepers() {
        if (sleepers.get() > 0) {
            device.wakeAwaiting();
        }
    }

    @Override
    public Bell newBell() {
        return new FutexBell(this, loop, device);
    }

    /// Allocates memory from which payload can be sent without staging. Any thread.
    public MemorySegment allocate(Arena owner, long bytes, long alignment) {
        return files.allocate(owner, bytes, alignment);
    }

    /// Called after all queue pairs and the loop are closed. Any thread except the loop's.
    @Override
    public void close() {
        copyThread.close();
        files.close();
        closeArena();
    }

    /// The close of the last queue pair rings a bell, whose wake-up may still be in a native call that keeps the arena.
    private void closeArena() {
        long deadline = System.nanoTime() + CLOSE_PATIENCE_NS;
        while (true) {
            try {
                arena.close();
                return;
            } catch (IllegalStateException inUse) {
                if (!arena.scope().isAlive() || System.nanoTime() - deadline > 0) {
                    throw inUse;
                }
                Thread.onSpinWait();
            }
        }
    }
}
