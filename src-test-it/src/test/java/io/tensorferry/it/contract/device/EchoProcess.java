package io.tensorferry.it.contract.device;

import io.tensorferry.it.interop.AddressText;
import io.tensorferry.it.process.Launcher;
import io.tensorferry.it.process.Place;
import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.concurrent.locks.LockSupport;
import java.util.zip.CRC32C;

/// The other end of [DeviceProcessTest], in a process of its own. For each immediate, which is a number of bytes, it
/// answers with an immediate that is their checksum, until it is ended.
final class EchoProcess {
    /// Which of the processes it is.
    static final Place PLACE = Place.of(1);

    static final int BYTES = 16 << 20;
    static final int DEPTH = 64;
    private static final long POLL_INTERVAL_NS = 20_000;

    private EchoProcess() {}

    public static void main(String[] arguments) throws InterruptedException {
        Launcher launcher = Launcher.connect();
        try (var fixture = OpenedDevices.one(PLACE);
                var end = new Endpoint(fixture, fixture.first(), settings())) {
            launcher.tell(Peer.of(end).toString());
            end.connect(Peer.parse(launcher.awaitCommand()).queuePair());
            for (int i = 0; i < DEPTH; i++) {
                end.queuePair.postReceive(i);
            }
            launcher.tell("READY");
            answer(end);
        }
    }

    static Endpoint.Settings settings() {
        var settings = new Endpoint.Settings();
        settings.bytes = BYTES;
        settings.retryCount = 7;
        return settings;
    }

    private static void answer(Endpoint end) {
        for (int answered = 0; ; LockSupport.parkNanos(POLL_INTERVAL_NS)) {
            end.poll();
            while (answered < end.completed.size()) {
                Completion completion = end.completed.get(answered++);
                if (completion.hasImmediate()) {
                    end.queuePair.postReceive(completion.workId());
                    end.signal(completion.workId(), checksum(end, completion.immediate()));
                }
            }
        }
    }

    static int checksum(Endpoint end, int bytes) {
        var checksum = new CRC32C();
        checksum.update(end.memory.asSlice(0, bytes).asByteBuffer());
        return (int) checksum.getValue();
    }

    /// Everything that the other process needs, in one line.
    record Peer(QueuePairAddress queuePair, long memoryAddress, int remoteKey) {
        static final String START = "PEER";

        static Peer of(Endpoint end) {
            return new Peer(end.address(), end.region.address(), end.region.remoteKey());
        }

        static Peer parse(String line) {
            String[] words = line.split(" ");
            return new Peer(AddressText.parse(words[1]), Long.parseLong(words[2]), Integer.parseInt(words[3]));
        }

        @Override
        public String toString() {
            return String.join(
                    " ", START, AddressText.of(queuePair), Long.toString(memoryAddress), Integer.toString(remoteKey));
        }
    }
}
