package io.tensorferry.it.contract.device;

import io.tensorferry.verbs.device.AddressHandle;
import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.QueuePairState;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;

/// The other end of [SoftwareDeviceProcessTest], in a process of its own. For each immediate, which is a number of
/// bytes, it answers with an immediate that is their checksum. Ends when its standard input does.
final class EchoProcess {
    static final int BYTES = 16 << 20;
    static final int DEPTH = 64;

    private EchoProcess() {}

    public static void main(String[] arguments) throws IOException {
        var provider = new SoftwareProvider();
        var settings = new Endpoint.Settings();
        settings.bytes = BYTES;
        try (var fixture = new OneDevice(provider);
                var end = new Endpoint(fixture, fixture.first(), settings)) {
            System.out.println(describe(end));
            var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            connect(end, in.readLine());
            for (int i = 0; i < DEPTH; i++) {
                end.queuePair.postReceive(i);
            }
            System.out.println("ready");
            int answered = 0;
            while (!in.ready()) {
                end.poll();
                while (answered < end.completed.size()) {
                    Completion completion = end.completed.get(answered++);
                    if (completion.hasImmediate()) {
                        end.queuePair.postReceive(completion.workId());
                        end.signal(completion.workId(), checksum(end, completion.immediate()));
                    }
                }
                LockSupport.parkNanos(20_000);
            }
        }
    }

    static int checksum(Endpoint end, int bytes) {
        var checksum = new CRC32C();
        checksum.update(end.memory.asSlice(0, bytes).asByteBuffer());
        return (int) checksum.getValue();
    }

    /// Everything that the other process needs, in one line.
    static String describe(Endpoint end) {
        return end.device.gid(1, 0).gid().ipv4Address()
                + " " + end.device.port(1).lid()
                + " " + end.queuePair.number()
                + " " + end.region.address()
                + " " + end.region.remoteKey();
    }

    static long[] numbers(String line) {
        return Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
    }

    static void connect(Endpoint end, String peer) {
        long[] numbers = numbers(peer);
        end.queuePair.modify(end.toInit());
        end.queuePair.modify(QueuePairAttributes.to(QueuePairState.RTR)
                .address(new AddressHandle(Gid.ofIpv4((int) numbers[0]), (int) numbers[1], 0, 0, 0, 64))
                .set(QueuePairAttribute.PATH_MTU, 4096)
                .set(QueuePairAttribute.DEST_QPN, (int) numbers[2])
                .set(QueuePairAttribute.RQ_PSN, end.settings.receiveSequence)
                .set(QueuePairAttribute.MAX_DEST_RD_ATOMIC, 1)
                .set(QueuePairAttribute.MIN_RNR_TIMER, 12));
        end.queuePair.modify(end.toReadyToSend());
    }

    /// This process' only device.
    record OneDevice(VerbsDevice first) implements DevicePairFixture {
        OneDevice(SoftwareProvider provider) {
            this(provider.open(SoftwareProvider.DEVICE));
        }

        @Override
        public VerbsDevice second() {
            return first;
        }

        @Override
        public boolean await(BooleanSupplier condition, Duration limit) {
            return new SoftwareDeviceContractTest.Fixture(first, first).await(condition, limit);
        }

        @Override
        public void pass(Duration time) {
            await(() -> false, time);
        }

        @Override
        public void close() {
            first.close();
        }
    }
}
