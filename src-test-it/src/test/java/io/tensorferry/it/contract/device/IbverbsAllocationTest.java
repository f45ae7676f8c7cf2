package io.tensorferry.it.contract.device;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.tensorferry.it.process.Place;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.WorkCompletion;
import io.tensorferry.verbs.device.WorkCompletionHandler;
import io.tensorferry.verbs.device.WorkStatus;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Posting and polling through libibverbs allocates nothing on the Java heap, once the JIT compiler is done with it.
@DeviceTests(kind = "device", on = On.NAMED)
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class IbverbsAllocationTest extends DeviceContract {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 60_000;
    private static final int MEASURED = 10_000;
    private static final int AT_A_TIME = 32;
    private static final int BYTES = 64;
    /// Not one object per write, nor one per poll: the smallest has 16 bytes, and there are 300 polls at least.
    private static final long NEARLY_NOTHING = 4096;

    private final SendWorkRequest request = new SendWorkRequest();
    private int sent;
    private int received;
    private int failed;

    @BeforeAll
    static void isThereADevice() {
        IbverbsDeviceContractTest.isThereADevice();
    }

    @Override
    DevicePairFixture open() {
        return OpenedDevices.two(Place.of(0));
    }

    @Test
    void writesWithImmediateAllocateNothing() {
        connect();
        for (int i = 0; i < AT_A_TIME; i++) {
            other.queuePair.postReceive(i);
        }
        transfer(WARM_UP);
        long before = THREADS.getCurrentThreadAllocatedBytes();
        transfer(MEASURED);
        long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        System.out.println("bytes allocated by " + MEASURED + " writes with immediate: " + allocated);

        assertThat(failed).as("failed completions").isZero();
        assertThat(sent).isEqualTo(WARM_UP + MEASURED);
        assertThat(received).isEqualTo(WARM_UP + MEASURED);
        assertThat(allocated)
                .as("bytes allocated by %d writes with immediate", MEASURED)
                .isLessThan(NEARLY_NOTHING);
    }

    /// Posts, polls at both ends, and posts the receives again.
    @SuppressWarnings("ThreadPriorityCheck")
    private void transfer(int count) {
        WorkCompletionHandler onSent = this::onSent;
        WorkCompletionHandler onReceived = this::onReceived;
        int end = sent + count;
        int posted = sent;
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while ((sent < end || received < end) && failed == 0 && System.nanoTime() < deadlineNs) {
            // A receive is there again for each write that has arrived.
            while (posted < end && posted - Math.min(sent, received) < AT_A_TIME) {
                one.queuePair.postSend(request.writeWithImmediate(
                        posted,
                        one.region.address(),
                        BYTES,
                        one.region.localKey(),
                        other.region.address(),
                        other.region.remoteKey(),
                        posted));
                posted++;
            }
            if (one.completions.poll(AT_A_TIME, onSent) + other.completions.poll(AT_A_TIME, onReceived) == 0) {
                // What carries out the requests may need this processor.
                Thread.yield();
            }
        }
    }

    private void onSent(WorkCompletion completion) {
        failed += completion.status() == WorkStatus.SUCCESS ? 0 : 1;
        sent++;
    }

    private void onReceived(WorkCompletion completion) {
        failed += completion.status() == WorkStatus.SUCCESS && completion.immediate() == received ? 0 : 1;
        received++;
        other.queuePair.postReceive(completion.workId());
    }
}
