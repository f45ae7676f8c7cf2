package io.tensorferry.verbs.device.software.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.MemoryWindow;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.SoftwareEnd;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import io.tensorferry.verbs.device.software.core.Request;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A write through a window that is half done when the window ends: the other half is not written. The test acts as the
/// peer, because a real one would hardly stop in the middle.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class WindowRevocationTest {
    private static final int BYTES = 4096;
    private static final int HALF = BYTES / 2;
    private static final int SEQUENCE = 77;

    private final SendWorkRequest request = new SendWorkRequest();
    private VerbsDevice device;
    private SoftwareEnd victim;
    private SoftwareEnd played;
    private SocketChannel channel;

    @BeforeEach
    void open() throws IOException {
        device = new SoftwareProvider(SoftwareOptions.defaults().withCarrier(SoftCarrier.TCP)).open("soft0");
        victim = new SoftwareEnd(device, BYTES, 64);
        played = new SoftwareEnd(device, BYTES, 64);
        victim.connectTo(played);
        victim.readyToSend();
        channel = SocketChannel.open(new InetSocketAddress(
                InetAddress.ofLiteral("127.0.0.1"), device.port(1).lid()));
        ByteBuffer hello = ByteBuffer.allocate(Frame.BYTES);
        Frame.putHello(
                hello,
                new Frame.Hello(
                        7,
                        SEQUENCE,
                        victim.queuePair.number(),
                        played.queuePair.number(),
                        device.gid(1, 0).gid().ipv4Address(),
                        device.port(1).lid(),
                        false));
        write(hello);
        assertThat(Frame.answerKind(readAnswer())).isEqualTo(Frame.HELLO_ACCEPTED);
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        victim.close();
        played.close();
        device.close();
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    private ByteBuffer readAnswer() throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(Frame.BYTES);
        while (answer.hasRemaining() && channel.read(answer) >= 0) {
            // The rest of the write arrives.
        }
        return answer;
    }

    private static ByteBuffer half() {
        byte[] bytes = new byte[HALF];
        Arrays.fill(bytes, (byte) 1);
        return ByteBuffer.wrap(bytes);
    }

    /// Binds a window to all of the memory, and lets the peer write the first half of it.
    private MemoryWindow beginWrite() throws IOException {
        MemoryWindow window = victim.domain.allocateWindow();
        post(request.bind(1, window, victim.region, victim.region.address(), BYTES));
        var write = new Request();
        write.opcode = SendWorkRequest.Opcode.RDMA_WRITE;
        write.sequence = SEQUENCE;
        write.length = BYTES;
        write.remoteAddress = victim.region.address();
        write.remoteKey = window.remoteKey();
        ByteBuffer header = ByteBuffer.allocate(Frame.BYTES);
        Frame.putRequest(header, write);
        write(header);
        write(half());
        victim.await(() -> victim.memory.get(ValueLayout.JAVA_BYTE, HALF - 1) != 0, "first half");
        return window;
    }

    private void post(SendWorkRequest work) {
        int before = victim.statuses.size();
        victim.queuePair.postSend(work);
        victim.await(before + 1);
        assertThat(victim.statuses.getLast()).isEqualTo(WorkStatus.SUCCESS);
    }

    private void assertRestIsRefused() throws IOException {
        write(half());
        ByteBuffer answer = readAnswer();
        assertThat(Frame.answerKind(answer)).isEqualTo(Frame.NAK);
        assertThat(Frame.refusal(answer)).isEqualTo(WorkStatus.REM_ACCESS_ERR);
        assertThat(victim.memory.asSlice(HALF).mismatch(MemorySegment.ofArray(new byte[HALF])))
                .as("the second half was not written")
                .isEqualTo(-1);
    }

    @Test
    void aWriteThatNothingStopsIsDone() throws IOException {
        beginWrite();
        write(half());
        assertThat(Frame.answerKind(readAnswer())).isEqualTo(Frame.ACK);
        assertThat(victim.memory.get(ValueLayout.JAVA_BYTE, BYTES - 1)).isEqualTo((byte) 1);
    }

    @Test
    void anInvalidationEndsAWriteThatIsOnItsWay() throws IOException {
        MemoryWindow window = beginWrite();
        post(request.invalidate(2, window));
        assertRestIsRefused();
        window.close();
    }

    @Test
    void aNewBindOfTheSameBytesDoesNotLetItGoOn() throws IOException {
        MemoryWindow window = beginWrite();
        post(request.invalidate(2, window));
        post(request.bind(3, window, victim.region, victim.region.address(), BYTES));
        assertRestIsRefused();
        window.close();
    }

    @Test
    void closingTheWindowEndsAWriteThatIsOnItsWay() throws IOException {
        beginWrite().close();
        assertRestIsRefused();
    }
}
