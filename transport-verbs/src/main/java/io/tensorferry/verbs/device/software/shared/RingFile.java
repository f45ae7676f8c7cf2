package io.tensorferry.verbs.device.software.shared;

import io.tensorferry.bindings.MemoryFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/// The memory that the two ends of one direction of a queue pair share: a ring of requests, a stream of staged payload
/// (payload outside any memory file), the answers, and a stream of READ data. The requester creates the file. Counters
/// never decrease; a position in a stream is its counter modulo the stream's size. The byte order is the machine's.
///
/// | offset | bytes | written by | |
/// |---|---|---|---|
/// | 0 | 8, 8, 4 | requester | magic; its device number; its line for answers |
/// | 64 | 8, 8 | requester | requests put in; bytes staged |
/// | 128 | 4, 4, 8 | requester | 1: revoked; 1: wants notice of free room; READ data taken |
/// | 192 | 8, 8, 8, 8, 8 | responder | requests taken out; bytes taken; requests executed; READ data put in; refusal |
/// | 4096 | 128 of 64 | requester | requests |
/// | 12288 | 256 KiB | requester | staged payload |
/// | 274432 | 256 KiB | responder | READ data |
///
/// The refusal is the status of the refused request, 0 for none. A request:
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 4 | kind ([RequestKind]), [#STAGED] or [#IN_FILE], [#QUIET] |
/// | 4, 8, 12 | 4, 4, 4 | sequence number, remote key, immediate |
/// | 16, 24 | 8, 8 | remote address, length |
/// | 32 | 8 | staged: the counter at which the payload begins; in a file: its offset there |
/// | 40, 48 | 4, 8 | the file's index in the requester's [FileTable], and its number |
///
/// Order: each end writes data with plain stores and then a counter with a release store ([Words#setRelease]). The
/// other end reads the counter with an acquire load before it reads the data. A test on x86 cannot show a plain store
/// instead of such a release store, because x86 makes stores visible in program order. On AArch64 a plain store of a
/// counter may become visible before the stores that precede it, and on every processor the compiler may move it before
/// them. The comment at each counter names the error that would follow.
///
/// Threading: each end accesses the file on its loop. Not final, so that a test can observe the order of the stores; no
/// subclass is loaded outside tests, so calls stay direct.
class RingFile {
    static final int REQUESTS = 128;
    static final int STAGING_BYTES = 256 * 1024;
    /// Trade-off: with a shorter stream one end waits for the other more often; a stream longer than a cache is slower.
    static final int READ_BYTES = 256 * 1024;

    /// The payload is staged.
    static final int STAGED = 0x100;
    /// The payload lies in a memory file of the requester.
    static final int IN_FILE = 0x200;
    /// The requester does not wait for the answer.
    static final int QUIET = 0x400;

    private static final long MAGIC = 0x5446_5352_4e47_3031L;
    private static final long AT_DEVICE = 8;
    private static final long AT_LINE = 16;
    private static final long AT_TAIL = 64;
    private static final long AT_STAGED_TAIL = 72;
    private static final long AT_REVOKED = 128;
    private static final long AT_WANTS_ROOM = 132;
    private static final long AT_READ_HEAD = 136;
    private static final long AT_HEAD = 192;
    private static final long AT_STAGED_HEAD = 200;
    private static final long AT_EXECUTED = 208;
    private static final long AT_READ_TAIL = 216;
    private static final long AT_REFUSAL = 224;
    private static final long AT_REQUESTS = 4096;
    private static final int REQUEST_BYTES = 64;
    static final long AT_STAGING = AT_REQUESTS + (long) REQUESTS * REQUEST_BYTES;
    static final long AT_READS = AT_STAGING + STAGING_BYTES;
    private static final long BYTES = AT_READS + READ_BYTES;

    private final MemorySegment memory;

    RingFile(MemorySegment memory) {
        this.memory = memory;
    }

    static MemoryFile create(long device, int line, Arena arena) throws IOException {
        MemoryFile file = MemoryFile.create("tensorferry-ring", BYTES, true, arena);
        file.memory().set(ValueLayout.JAVA_LONG, 0, MAGIC);
        file.memory().set(ValueLayout.JAVA_LONG, AT_DEVICE, device);
        file.memory().set(ValueLayout.JAVA_INT, AT_LINE, line);
        return file;
    }

    static RingFile of(MemoryFile own) {
        return new RingFile(own.memory());
    }

    /// Maps a peer's ring.
    ///
    /// @throws IOException if the file cannot be mapped, or is not the ring of this line of this device
    static RingFile open(Offer offer, Arena arena) throws IOException {
        MemorySegment memory = MemoryFile.open(offer.process(), offer.ringDescriptor(), true, arena);
        if (memory.byteSize() != BYTES
                || memory.get(ValueLayout.JAVA_LONG, 0) != MAGIC
                || memory.get(ValueLayout.JAVA_LONG, AT_DEVICE) != offer.device()
                || memory.get(ValueLayout.JAVA_INT, AT_LINE) != offer.line()) {
            throw new IOException("descriptor " + offer.ringDescriptor() + " of process " + offer.process()
                    + " is not the ring that was offered");
        }
        return new RingFile(memory);
    }

    /// The whole file, for copies from and to its streams.
    MemorySegment memory() {
        return memory;
    }

    /// The offset of request number `count`.
    static long request(long count) {
        return AT_REQUESTS + (count & REQUESTS - 1) * REQUEST_BYTES;
    }

    int getInt(long at) {
        return memory.get(ValueLayout.JAVA_INT, at);
    }

    long getLong(long at) {
        return memory.get(ValueLayout.JAVA_LONG, at);
    }

    void setInt(long at, int value) {
        memory.set(ValueLayout.JAVA_INT, at, value);
    }

    void setLong(long at, long value) {
        memory.set(ValueLayout.JAVA_LONG, at, value);
    }

    long tail() {
        return Words.getAcquire(memory, AT_TAIL);
    }

    /// Publishes requests. Release: after the fields of the requests. Were the count visible first, the responder would
    /// execute what the slot held 128 requests ago, at an address and with a key that this request does not name.
    void setTail(long count) {
        Words.setRelease(memory, AT_TAIL, count);
    }

    long stagedTail() {
        return Words.getAcquire(memory, AT_STAGED_TAIL);
    }

    /// Publishes staged payload. Release: after the bytes. Were the count visible first, the responder would copy bytes
    /// of an earlier payload to the target, and report success.
    void setStagedTail(long count) {
        Words.setRelease(memory, AT_STAGED_TAIL, count);
    }

    /// Revokes the requester's memory: it may change from now on, and the responder discards what it reads there
    /// afterwards.
    void revoke() {
        Words.setInt(memory, AT_REVOKED, 1);
        // Before any later write of the application to its memory.
        VarHandle.fullFence();
    }

    /// Whether data read from the requester's memory before this call may already have changed.
    boolean isRevoked() {
        VarHandle.loadLoadFence();
        return Words.getInt(memory, AT_REVOKED) != 0;
    }

    boolean wantsRoom() {
        return Words.getInt(memory, AT_WANTS_ROOM) != 0;
    }

    void setWantsRoom(boolean wants) {
        Words.setInt(memory, AT_WANTS_ROOM, wants ? 1 : 0);
        // Before the next load of a count, which is an acquire load only.
        VarHandle.fullFence();
    }

    long readHead() {
        return Words.getAcquire(memory, AT_READ_HEAD);
    }

    /// Returns room of the stream of READ data. Release: after the loads of the data. Were the count visible first, the
    /// responder would overwrite data that this end has not copied.
    void setReadHead(long count) {
        Words.setRelease(memory, AT_READ_HEAD, count);
    }

    long head() {
        return Words.getAcquire(memory, AT_HEAD);
    }

    /// Returns request slots. Release: after the loads of the fields. Were the count visible first, the requester could
    /// overwrite a request while this end reads it, and the checked field would not be the used one.
    void setHead(long count) {
        Words.setRelease(memory, AT_HEAD, count);
    }

    long stagedHead() {
        return Words.getAcquire(memory, AT_STAGED_HEAD);
    }

    /// Returns room of the stream of staged payload. Release: after the loads of the bytes. Were the count visible
    /// first, the requester would overwrite bytes that this end has not copied.
    void setStagedHead(long count) {
        Words.setRelease(memory, AT_STAGED_HEAD, count);
    }

    long executed() {
        return Words.getAcquire(memory, AT_EXECUTED);
    }

    /// Publishes answers. Release: after the copies of the payload and the count of READ data. Were the count visible
    /// first, the requester would complete a WRITE that has not landed, or a READ without its data.
    void setExecuted(long count) {
        Words.setRelease(memory, AT_EXECUTED, count);
    }

    long readTail() {
        return Words.getAcquire(memory, AT_READ_TAIL);
    }

    /// Publishes READ data. Release: after the bytes. Were the count visible first, the requester would copy stale
    /// bytes to the target of the READ.
    void setReadTail(long count) {
        Words.setRelease(memory, AT_READ_TAIL, count);
    }

    /// The number of the `WorkStatus` of the refused request; 0 if none was refused. The refused request is the first
    /// after the executed ones.
    long refusal() {
        return Words.getAcquire(memory, AT_REFUSAL);
    }

    /// Publishes a refusal. Release: after the count of executed requests. Were the refusal visible first, the
    /// requester would fail a request that was executed.
    void setRefusal(long status) {
        Words.setRelease(memory, AT_REFUSAL, status);
    }
}
