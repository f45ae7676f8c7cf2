package io.tensorferry.testing.accelerator;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.DmaBuf;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A simulated [Accelerator] for tests. Its memory is accessible only by copies; its streams run asynchronously, with
/// delays drawn from a seed.
///
/// It is strict: each misuse is thrown and recorded ([#mistakes()]), including misuse that a driver would detect only
/// by chance.
///
/// A software device that registers exportable memory writes to it as a NIC does, without the accelerator's
/// involvement. The accelerator's copies see such writes according to [NicWrites].
///
/// Threading: any thread in real time; the thread that runs the fabric in virtual time. The object's own lock guards
/// all state.
public final class SimulatedAccelerator implements Accelerator {
    /// The direction of a copy. Copies in the same direction share a transfer rate.
    enum Way {
        TO_HOST,
        FROM_HOST
    }

    private static final long FIRST_ADDRESS = 1L << 60;
    private static final int INDEX_SHIFT = 48;
    private static final int MOST_INDEX = 255;
    private static final long ALIGNMENT = 256;
    /// The page size of exported memory, as on a GPU.
    private static final long PAGE = 64 << 10;
    private static final long NS_PER_MICROSECOND = 1_000;

    private final int index;
    private final AcceleratorTime time;
    private final SimulatedAcceleratorOptions options;
    private final Random random;
    private final TreeMap<Long, SimulatedMemory> blocks = new TreeMap<>();
    private final List<Pin> pins = new ArrayList<>();
    private final Set<SimulatedStream> streams = new HashSet<>();
    private final Map<Way, Long> freeAtNs = new EnumMap<>(Way.class);
    private final Set<Thread> strangers = new HashSet<>();
    private final List<String> mistakes = new ArrayList<>();
    private long nextAddress;
    private long bytesInUse;
    private int openEvents;
    private int openExports;
    private boolean held;
    private int flushes;
    private boolean closed;
    private @Nullable TransportException nextFailure;
    private @Nullable TransportException broken;

    /// @param index the index of this accelerator in the process, 0 to 255
    /// @param time remains owned by the caller
    /// @throws IllegalArgumentException if `index` is out of range
    public SimulatedAccelerator(int index, AcceleratorTime time, long seed, SimulatedAcceleratorOptions options) {
        if (index < 0 || index > MOST_INDEX) {
            throw new IllegalArgumentException("accelerator index " + index + " must be 0 to " + MOST_INDEX);
        }
        this.index = index;
        this.time = time;
        this.options = options;
        this.random = new Random(seed);
        this.nextAddress = FIRST_ADDRESS + ((long) index << INDEX_SHIFT);
    }

    @Override
    public String type() {
        return "GPU";
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public String description() {
        return "simulated accelerator " + index;
    }

    @Override
    public synchronized DeviceMemory allocate(long bytes) {
        checkUsable();
        if (bytes <= 0) {
            throw new IllegalArgumentException(bytes + " bytes of an accelerator's memory must be 1 or more");
        }
        if (bytes > options.capacity() - bytesInUse) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    this + " has " + (options.capacity() - bytesInUse) + " of " + options.capacity()
                            + " bytes left, not " + bytes);
        }
        var block = new SimulatedMemory(this, nextAddress, bytes, options);
        // Addresses are never reused, and no two blocks are adjacent.
        long unit = options.exportable() ? PAGE : ALIGNMENT;
        nextAddress = (nextAddress + bytes + 2 * unit - 1) / unit * unit;
        blocks.put(block.address(), block);
        bytesInUse += bytes;
        return block;
    }

    @Override
    public synchronized DeviceStream openStream() {
        checkUsable();
        var stream = new SimulatedStream(this);
        streams.add(stream);
        return stream;
    }

    @Override
    public synchronized HostPin pin(MemorySegment hostMemory) {
        checkUsable();
        var pin = new Pin(hostMemory.address(), hostMemory.byteSize());
        pins.add(pin);
        return pin;
    }

    @Override
    public synchronized void prepareForNic(long address, long bytes) {
        checkUsable();
        if (bytes < 1 || find(address, bytes) == null) {
            throw new IllegalArgumentException(
                    "%d bytes at %#x are not within an allocation of %s".formatted(bytes, address, this));
        }
    }

    @Override
    public synchronized DmaBuf export(long address, long bytes) {
        checkUsable();
        if (!options.exportable()) {
            throw new TransportException(StatusCode.UNIMPLEMENTED, this + " exports no memory");
        }
        DmaBuf export = block(address, bytes).export(address);
        openExports++;
        return export;
    }

    @Override
    public NicWrites nicWrites() {
        return options.nicWrites();
    }

    @Override
    public synchronized void flushNicWrites() {
        checkUsable();
        if (options.nicWrites() != NicWrites.AFTER_FLUSH) {
            throw new TransportException(StatusCode.UNIMPLEMENTED, this + " flushes nothing");
        }
        blocks.values().forEach(SimulatedMemory::flush);
        flushes++;
    }

    /// The number of flushes of NIC writes so far, for tests.
    public synchronized int flushes() {
        return flushes;
    }

    @Override
    public synchronized void close() {
        called();
        if (!leftOver().isEmpty()) {
            throw mistake("it is closed with " + leftOver());
        }
        closed = true;
    }

    /// Reads memory of this device, for tests.
    public synchronized byte[] peek(long address, int bytes) {
        var content = new byte[bytes];
        MemorySegment.copy(memory(address, bytes), 0, MemorySegment.ofArray(content), 0, bytes);
        return content;
    }

    /// Writes memory of this device, for tests.
    public synchronized void poke(long address, byte[] content) {
        MemorySegment.copy(MemorySegment.ofArray(content), 0, memory(address, content.length), 0, content.length);
        written(address, content.length);
    }

    /// Prevents queued operations from beginning until [#release()].
    public synchronized void hold() {
        held = true;
    }

    public synchronized void release() {
        held = false;
        List.copyOf(streams).forEach(SimulatedStream::beginNext);
    }

    /// Makes the next copy fail and break the device, as a failed copy does on a GPU.
    public synchronized void failNextCopy(TransportException cause) {
        nextFailure = cause;
    }

    /// Breaks the device: every later call fails with `cause`, and queued operations never complete.
    public synchronized void breakDevice(TransportException cause) {
        broken = cause;
        // Closed streams would wait for operations that never complete.
        streams.removeIf(SimulatedStream::isClosed);
        notifyAll();
    }

    /// Makes each call by `thread` a mistake.
    public synchronized void forbid(Thread thread) {
        strangers.add(thread);
    }

    /// The misuses recorded so far.
    public synchronized List<String> mistakes() {
        return List.copyOf(mistakes);
    }

    public synchronized long bytesInUse() {
        return bytesInUse;
    }

    /// The unclosed resources, as text for people; empty if there are none.
    public synchronized String leftOver() {
        var parts = new ArrayList<String>();
        if (bytesInUse > 0) {
            parts.add(bytesInUse + " bytes");
        }
        if (!streams.isEmpty()) {
            parts.add(streams.size() + " streams");
        }
        if (openEvents > 0) {
            parts.add(openEvents + " events");
        }
        if (!pins.isEmpty()) {
            parts.add(pins.size() + " pins");
        }
        if (openExports > 0) {
            parts.add(openExports + " exports");
        }
        return String.join(", ", parts);
    }

    // The remaining methods are called by streams and events, under the lock.

    boolean mayWait() {
        return time.mayWait();
    }

    boolean isHeld() {
        return held;
    }

    boolean isBroken() {
        return broken != null;
    }

    void called() {
        if (strangers.contains(Thread.currentThread())) {
            throw mistake("a call on " + Thread.currentThread().getName() + ", which must never wait for a driver");
        }
    }

    void checkUsable() {
        called();
        if (closed) {
            throw mistake("it was used after it was closed");
        }
        TransportException cause = broken;
        if (cause != null) {
            throw cause;
        }
    }

    IllegalStateException mistake(String what) {
        mistakes.add(this + ": " + what);
        return new IllegalStateException(this + ": " + what);
    }

    /// @throws IllegalStateException if no allocated block contains all of these bytes
    MemorySegment memory(long address, long bytes) {
        return block(address, bytes).slice(address, bytes);
    }

    /// Handles a write of the device to this range.
    void written(long address, long bytes) {
        block(address, bytes).written(address, bytes);
    }

    private SimulatedMemory block(long address, long bytes) {
        SimulatedMemory block = find(address, bytes);
        if (block == null) {
            throw mistake("no memory of " + bytes + " bytes at 0x" + Long.toHexString(address));
        }
        return block;
    }

    private @Nullable SimulatedMemory find(long address, long bytes) {
        Map.Entry<Long, SimulatedMemory> entry = blocks.floorEntry(address);
        if (entry == null || bytes < 0) {
            return null;
        }
        SimulatedMemory block = entry.getValue();
        return bytes > block.byteSize() - (address - block.address()) ? null : block;
    }

    /// Frees a block.
    ///
    /// @return false if it was freed before
    boolean free(SimulatedMemory block) {
        called();
        boolean first = blocks.remove(block.address(), block);
        if (first) {
            bytesInUse -= block.byteSize();
        }
        return first;
    }

    void exportClosed() {
        openExports--;
    }

    /// @throws IllegalStateException if the memory is not pinned
    MemorySegment pinned(MemorySegment segment) {
        long from = segment.address();
        long bytes = segment.byteSize();
        if (pins.stream().noneMatch(pin -> pin.holds(from, bytes))) {
            throw mistake("host memory of " + bytes + " bytes is not pinned: a copy of it blocks its caller");
        }
        return segment;
    }

    /// Applies a pending failure.
    ///
    /// @return whether the device is broken
    boolean takesFailure() {
        TransportException failure = nextFailure;
        if (failure != null) {
            nextFailure = null;
            breakDevice(failure);
        }
        return isBroken();
    }

    /// The time until a copy queued now begins: earlier copies in the same direction transfer their bytes first.
    long beginAfterNs(Way way, long bytes) {
        long rate = way == Way.TO_HOST ? options.toHostPerMicrosecond() : options.fromHostPerMicrosecond();
        long begin = Math.max(time.now(), freeAtNs.getOrDefault(way, Long.MIN_VALUE));
        freeAtNs.put(way, begin + bytes * NS_PER_MICROSECOND / rate);
        return begin - time.now();
    }

    /// The time until the end of the copy of the last [#beginAfterNs] call.
    long endAfterNs(Way way, long beginNs) {
        long movedNs = freeAtNs.getOrDefault(way, 0L) - time.now();
        long delayNs = between(options.leastDelayNs(), options.mostDelayNs());
        return Math.max(beginNs, movedNs) + delayNs;
    }

    long between(long least, long most) {
        return least + (most > least ? random.nextLong(most - least + 1) : 0);
    }

    void schedule(long delayNs, Runnable action) {
        time.schedule(delayNs, () -> {
            synchronized (this) {
                if (broken == null) {
                    run(action);
                }
            }
        });
    }

    /// Runs a step of a copy. Detects memory that was freed during the copy; since no caller receives the exception on
    /// this thread, it is recorded and breaks the device.
    private void run(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            String what = this + ": a copy failed: " + e.getMessage();
            mistakes.add(what);
            breakDevice(new TransportException(StatusCode.INTERNAL, what, e));
        }
    }

    SimulatedEvent newEvent() {
        openEvents++;
        return new SimulatedEvent(this);
    }

    void eventClosed() {
        openEvents--;
    }

    /// Removes a stream that is closed and has completed its operations.
    void streamEnded(SimulatedStream stream) {
        streams.remove(stream);
    }

    @Override
    public String toString() {
        return "GPU:" + index;
    }

    /// A pin of host memory.
    private final class Pin implements HostPin {
        private final long address;
        private final long bytes;

        Pin(long address, long bytes) {
            this.address = address;
            this.bytes = bytes;
        }

        boolean holds(long from, long length) {
            return from >= address && from + length <= address + bytes;
        }

        @Override
        public void close() {
            synchronized (SimulatedAccelerator.this) {
                called();
                pins.remove(this);
            }
        }
    }
}
