package io.tensorferry.verbs.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.Tensor;
import io.tensorferry.verbs.config.ChannelOptions;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.QueuePairAttribute;
import io.tensorferry.verbs.device.QueuePairAttributes;
import io.tensorferry.verbs.device.SendWorkRequest;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Peers may only write to the memory of receives: no region grants remote reads, no queue pair remote
/// atomics, and windows grant only writes.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class GrantedRightsTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    /// Too large for a message of the ring.
    private static final int SIZE = 5000;

    private record Registered(long bytes, Set<AccessFlag> access) {}

    private final List<Registered> regions = new CopyOnWriteArrayList<>();
    private final List<Integer> queuePairs = new CopyOnWriteArrayList<>();
    private final List<Set<AccessFlag>> windows = new CopyOnWriteArrayList<>();

    @SuppressWarnings("unchecked") // what a call of this name is given
    private void observe(String method, Object[] arguments) {
        switch (method) {
            case "register" ->
                regions.add(new Registered(
                        ((MemorySegment) arguments[0]).byteSize(), Set.copyOf((Set<AccessFlag>) arguments[1])));
            case "modify" -> {
                var attributes = (QueuePairAttributes) arguments[0];
                if (attributes.present().contains(QueuePairAttribute.ACCESS_FLAGS)) {
                    queuePairs.add(attributes.get(QueuePairAttribute.ACCESS_FLAGS));
                }
            }
            case "postSend" -> {
                var request = (SendWorkRequest) arguments[0];
                if (request.opcode == SendWorkRequest.Opcode.BIND_MW) {
                    windows.add(request.windowAccess);
                }
            }
            default -> {}
        }
    }

    @ParameterizedTest
    @EnumSource
    void peersMayWriteAndNothingElse(RemoteKeyScope scope) throws InterruptedException {
        var device = new FaultyDevice();
        device.observe(this::observe);
        try (var workers = new LoopbackWorkers(device, scope)) {
            for (int i = 0; i < 3; i++) {
                exchange(workers, 0, 1, "out");
                exchange(workers, 1, 0, "in");
            }
        }
        assertThat(queuePairs)
                .as("each queue pair is given its rights once")
                .hasSize(2)
                .startsWith(QueuePairAttributes.ACCESS_REMOTE_WRITE);
        assertThat(queuePairs.subList(1, queuePairs.size()))
                .as("lanes can be read over where a region allows it")
                .containsOnly(QueuePairAttributes.ACCESS_REMOTE_WRITE | QueuePairAttributes.ACCESS_REMOTE_READ);
        assertThat(regions)
                .isNotEmpty()
                .allSatisfy(region -> assertThat(region.access()).doesNotContain(AccessFlag.REMOTE_READ));
        if (scope == RemoteKeyScope.SLAB) {
            assertThat(windows).isEmpty();
        } else {
            assertThat(windows).hasSize(3).containsOnly(Set.of(AccessFlag.REMOTE_WRITE));
            long ring = (long) ChannelOptions.defaults().ringSlots()
                    * ChannelOptions.defaults().slotBytes();
            assertThat(regions)
                    .filteredOn(region -> region.access().contains(AccessFlag.REMOTE_WRITE))
                    .as("only the message ring has its own key for its peer")
                    .singleElement()
                    .isEqualTo(new Registered(ring, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)));
        }
    }

    private static void exchange(LoopbackWorkers workers, int from, int to, String edge) throws InterruptedException {
        var key = LoopbackWorkers.key(from, to, edge);
        var sender = workers.worker(from);
        sender.manager.rendezvous(1).send(key, sender.bytes(SIZE, 7));
        Tensor received =
                workers.worker(to).manager.rendezvous(1).recv(key, LIMIT).tensorOrThrow();
        assertThat(received.byteSize()).isEqualTo(SIZE);
        received.close();
    }
}
