package io.tensorferry.verbs.device.software.stream;

import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.core.Request;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// The header of every message between two devices: 32 bytes, big-endian, every bit checked.
///
/// ```
/// offset  bytes  request              answer                   hello
///  0      1      magic 0x54           magic 0x54               magic 0x54
///  1      1      kind                 kind                     kind
///  2      1      0                    status (NAK) or 0        RNR retry count
///  3      1      0                    1: SHARED follows        1: SHARED follows
///  4      4      sequence number      sequence number          sequence number of the first request
///  8      4      remote key           0                        number of the wanted queue pair
/// 12      4      immediate            0                        number of the asking queue pair
/// 16      8      remote address       0                        protocol and version, "TFRC0001"
/// 24      8      payload bytes        payload bytes or 0       IPv4 address and LID of the asking device
/// ```
///
/// Payload follows WRITE and SEND requests and READ_DATA answers.
public final class Frame {
    public static final int BYTES = 32;

    static final byte HELLO = 1;
    public static final byte HELLO_ACCEPTED = 2;
    public static final byte HELLO_REFUSED = 3;
    static final byte WRITE = 4;
    static final byte WRITE_WITH_IMMEDIATE = 5;
    static final byte READ = 6;
    static final byte SEND = 7;
    static final byte SEND_WITH_IMMEDIATE = 8;
    /// This request and all earlier ones are executed.
    static final byte ACK = 9;
    /// All requests before this one are executed; this one is refused.
    static final byte NAK = 10;
    /// All requests before this READ are executed; its data follow.
    static final byte READ_DATA = 11;
    /// The location of the sender's shared-memory files. Follows a HELLO or HELLO_ACCEPTED whose byte 3 is 1.
    static final byte SHARED = 12;

    private static final byte MAGIC = 0x54;
    private static final long PROTOCOL = 0x5446_5243_3030_3031L;
    private static final int MAX_24_BITS = 0xFF_FFFF;
    private static final long MAX_LENGTH = 0xFFFF_FFFFL;

    private Frame() {}

    /// A requester's introduction: the queue pair that it wants and the queue pair that it belongs to.
    ///
    /// @param shared whether a frame SHARED follows, because the requester offers shared memory
    public record Hello(int rnrRetry, int sequence, int wanted, int asking, int address, int lid, boolean shared) {}

    public static void putHello(ByteBuffer header, Hello hello) {
        put(header, HELLO, hello.rnrRetry, hello.sequence);
        header.put(3, (byte) (hello.shared ? 1 : 0));
        header.putInt(8, hello.wanted)
                .putInt(12, hello.asking)
                .putLong(16, PROTOCOL)
                .putInt(24, hello.address)
                .putInt(28, hello.lid);
    }

    /// @return null if the header is no valid HELLO
    public static @Nullable Hello hello(ByteBuffer header) {
        var hello = new Hello(
                header.get(2),
                header.getInt(4),
                header.getInt(8),
                header.getInt(12),
                header.getInt(24),
                header.getInt(28),
                header.get(3) == 1);
        boolean valid = header.get(0) == MAGIC
                && header.get(1) == HELLO
                && inRange(header.get(3), 1)
                && header.getLong(16) == PROTOCOL
                && inRange(hello.rnrRetry, 7)
                && inRange(hello.sequence, MAX_24_BITS)
                && inRange(hello.wanted, MAX_24_BITS)
                && inRange(hello.asking, MAX_24_BITS)
                && inRange(hello.lid, 0xFFFF);
        return valid ? hello : null;
    }

    static void putRequest(ByteBuffer header, Request request) {
        byte kind = switch (request.opcode) {
            case RDMA_WRITE -> WRITE;
            case RDMA_WRITE_WITH_IMM -> WRITE_WITH_IMMEDIATE;
            case RDMA_READ -> READ;
            case SEND -> SEND;
            case SEND_WITH_IMM -> SEND_WITH_IMMEDIATE;
            case BIND_MW, LOCAL_INV -> throw new IllegalArgumentException(request.opcode + " is not sent to the peer");
        };
        put(header, kind, 0, request.sequence);
        header.putInt(8, request.remoteKey)
                .putInt(12, request.immediate)
                .putLong(16, request.remoteAddress)
                .putLong(24, request.length);
    }

    /// @return false if the header is no valid request
    static boolean readRequest(ByteBuffer header, Request request) {
        SendWorkRequest.Opcode opcode = switch (header.get(1)) {
            case WRITE -> SendWorkRequest.Opcode.RDMA_WRITE;
            case WRITE_WITH_IMMEDIATE -> SendWorkRequest.Opcode.RDMA_WRITE_WITH_IMM;
            case READ -> SendWorkRequest.Opcode.RDMA_READ;
            case SEND -> SendWorkRequest.Opcode.SEND;
            case SEND_WITH_IMMEDIATE -> SendWorkRequest.Opcode.SEND_WITH_IMM;
            default -> null;
        };
        if (opcode == null || header.get(0) != MAGIC || header.get(2) != 0 || header.get(3) != 0) {
            return false;
        }
        request.opcode = opcode;
        request.sequence = header.getInt(4);
        request.remoteKey = header.getInt(8);
        request.immediate = header.getInt(12);
        request.remoteAddress = header.getLong(16);
        request.length = header.getLong(24);
        return request.length >= 0 && request.length <= MAX_LENGTH;
    }

    public static void putAnswer(ByteBuffer header, byte kind, int sequence, WorkStatus status, long length) {
        put(header, kind, status.number(), sequence);
        header.putLong(8, 0).putLong(16, 0).putLong(24, length);
    }

    /// Marks an acceptance as followed by a SHARED frame.
    public static void setShared(ByteBuffer header) {
        header.put(3, (byte) 1);
    }

    public static boolean isShared(ByteBuffer header) {
        return header.get(3) == 1;
    }

    /// Begins a SHARED frame; the package `shared` fills the rest.
    public static void putShared(ByteBuffer header) {
        put(header, SHARED, 0, 0);
    }

    /// @return false if the header does not begin a SHARED frame
    public static boolean beginsShared(ByteBuffer header) {
        return header.get(0) == MAGIC && header.get(1) == SHARED && header.get(2) == 0 && header.get(3) == 0;
    }

    /// The kind of an answer, including HELLO_ACCEPTED and HELLO_REFUSED; 0 if the header is no valid answer.
    public static byte answerKind(ByteBuffer header) {
        byte kind = header.get(1);
        boolean valid = header.get(0) == MAGIC
                && (kind == HELLO_ACCEPTED || kind == HELLO_REFUSED || kind == ACK || kind == NAK || kind == READ_DATA)
                && inRange(header.get(3), kind == HELLO_ACCEPTED ? 1 : 0)
                && (header.get(2) == 0) != (kind == NAK)
                && inRange(sequence(header), MAX_24_BITS)
                && header.getLong(8) == 0
                && header.getLong(16) == 0
                && length(header) >= 0
                && length(header) <= (kind == READ_DATA ? MAX_LENGTH : 0);
        return valid ? kind : 0;
    }

    static int sequence(ByteBuffer header) {
        return header.getInt(4);
    }

    static long length(ByteBuffer header) {
        return header.getLong(24);
    }

    /// The status of a refused request; null if the status is not valid for a refusal.
    static @Nullable WorkStatus refusal(ByteBuffer header) {
        WorkStatus status = WorkStatus.ofNumber(header.get(2));
        return switch (status) {
            case REM_INV_REQ_ERR, REM_ACCESS_ERR, REM_OP_ERR, RNR_RETRY_EXC_ERR -> status;
            default -> null;
        };
    }

    private static void put(ByteBuffer header, byte kind, int third, int sequence) {
        header.put(0, MAGIC).put(1, kind).put(2, (byte) third).put(3, (byte) 0).putInt(4, sequence);
    }

    private static boolean inRange(int value, int most) {
        return value >= 0 && value <= most;
    }
}
