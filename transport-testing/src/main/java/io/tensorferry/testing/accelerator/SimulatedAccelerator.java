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

/// An accelerator that is none: memory that its user reaches by copies alone, with streams that work by themselves and
/// take their time, drawn from a seed. For the tests of whoever uses an [Accelerator].
///
/// It is strict: what no driver lets pass, or only by chance, is a mistake, which is thrown and remembered
/// ([#mistakes()]).
///
/// Where its memory can be exported, a software device that registers it writes there as a NIC does: behind the back of
/// the accelerator, whose copies see it as [NicWrites] says.
///
/// Threading: any thread, in real time; the thread that turns the fabric, in virtual time. Everything is under one
/// lock, the object's own.
public final class SimulatedAccelerator implements Accelerator {
    /// Which way a copy goes: copies of one way share its rate.
    enum Way {
        TO_HOST,
        FROM_HOST
    }

    private static final long FIRST_ADDRESS = 1L << 60;
    private static final int INDEX_SHIFT = 48;
    private static final int MOST_INDEX = 255;
    private static final long ALIGNMENT = 256;
    /// Of exported memory, as a GPU's pages.
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

    /// @param index which of the process' accelerators, 0 to 255
    /// @param time stays the caller's
    /// @throws IllegalArgumentException if `index` is another
    public SimulatedAccelerator(int index, AcceleratorTime time, long seed, SimulatedAcceleratorOptions options) {
        if (index < 0 || index > MOST_INDEX) {
            throw new IllegalArgumentException("accelerators are numbered 0 to " + MOST_INDEX + ", not " + index);
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
            throw new IllegalArgumentException(bytes + " bytes of an accelerator's memory; 1 or more are allocated");
        }
        if (bytes > options.capacity() - bytesInUse) {
            throw new TransportException(
                    StatusCode.RESOURCE_EXHAUSTED,
                    this + " has " + (options.capacity() - bytesInUse) + " of " + options.capacity()
                            + " bytes left, not " + bytes);
        }
        var block = new SimulatedMemory(this, nextAddress, bytes, options);
        // Addresses are never used again, and no block ends where another begins.
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
                    "%d bytes at %#x are not all of an allocation of %s".formatted(bytes, address, this));
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

    /// How often writes of NICs were flushed, for a test.
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

    /// The content of memory of this device, for a test.
    public synchronized byte[] peek(long address, int bytes) {
        var content = new byte[bytes];
        MemorySegment.copy(memory(address, bytes), 0, MemorySegment.ofArray(content), 0, bytes);
        return content;
    }

    /// Sets the content of memory of this device, for a test.
    public synchronized void poke(long address, byte[] content) {
        MemorySegment.copy(MemorySegment.ofArray(content), 0, memory(address, content.length), 0, content.length);
        written(address, content.length);
    }

    /// Nothing that is queued begins until [#release()].
    public synchronized void hold() {
        held = true;
    }

    public synchronized void release() {
        held = false;
        List.copyOf(streams).forEach(SimulatedStream::beginNext);
    }

    /// The next copy that begins breaks the device, as on a real one.
    public synchronized void failNextCopy(TransportException cause) {
        nextFailure = cause;
    }

    /// Every later call fails with `cause`, and nothing that is queued is done.
    public synchronized void breakDevice(TransportException cause) {
        broken = cause;
        // Those that were closed wait for work that nobody does any more.
        streams.removeIf(SimulatedStream::isClosed);
        notifyAll();
    }

    /// A call of `thread` is a mistake.
    public synchronized void forbid(Thread thread) {
        strangers.add(thread);
    }

    /// What was done with it that must not be done.
    public synchronized List<String> mistakes() {
        return List.copyOf(mistakes);
    }

    public synchronized long bytesInUse() {
        return bytesInUse;
    }

    /// What was made and is not closed, for people; empty for nothing.
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

    // The rest is for streams and events, under the lock.

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
            throw mistake(Thread.currentThread().getName() + " calls it, which must never wait for a driver");
        }
    }

    void checkUsable() {
        called();
        if (closed) {
            throw mistake("it was used that is closed");
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

    /// @throws IllegalStateException if the bytes are not all of one block that is allocated
    MemorySegment memory(long address, long bytes) {
        return block(address, bytes).slice(address, bytes);
    }

    /// The device has written there.
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

    /// Returns false if it was given back before.
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

    /// Whether the device breaks now.
    boolean takesFailure() {
        TransportException failure = nextFailure;
        if (failure != null) {
            nextFailure = null;
            breakDevice(failure);
        }
        return isBroken();
    }

    /// After how long a copy begins that was queued now: when those of the same way before it have moved their bytes.
    long beginAfterNs(Way way, long bytes) {
        long rate = way == Way.TO_HOST ? options.toHostPerMicrosecond() : options.fromHostPerMicrosecond();
        long begin = Math.max(time.now(), freeAtNs.getOrDefault(way, Long.MIN_VALUE));
        freeAtNs.put(way, begin + bytes * NS_PER_MICROSECOND / rate);
        return begin - time.now();
    }

    /// After how long the copy ends that [#beginAfterNs] was asked for last.
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

    /// Memory that was given back while a copy was using it is found here, on a thread that nobody listens to.
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

    /// It is closed, and its work is done.
    void streamEnded(SimulatedStream stream) {
        streams.remove(stream);
    }

    @Override
    public String toString() {
        return "GPU:" + index;
    }

    /// Host memory that was pinned.
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
