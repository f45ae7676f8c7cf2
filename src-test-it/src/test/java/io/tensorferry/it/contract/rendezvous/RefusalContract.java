package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.RendezvousKey;
import io.tensorferry.api.Tensor;
import org.junit.jupiter.api.Test;

/// Keys that are not this worker's business are refused before anything happens.
abstract class RefusalContract extends RendezvousContract {
    RefusalContract(Protocol protocol) {
        super(protocol);
    }

    @Test
    void onlyTheProducerSends() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> receiving().sendDead(key("a")))
                .withMessageContaining("is not on this worker")
                .withMessageContaining(consumer().workerName());
    }

    @Test
    void onlyTheConsumerReceives() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> sending().recvAsync(key("a")))
                .withMessageContaining("is not on this worker")
                .withMessageContaining(producer().workerName());
    }

    @Test
    void aProducerOutsideTheClusterIsRefused() {
        for (var stranger : new String[] {"ps", "chief"}) {
            RendezvousKey key =
                    RendezvousKey.of(Workers.device(stranger, 0), consumer().deviceName(0), "a");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> receiving().recvAsync(key))
                    .withMessageContaining("/job:" + stranger + "/replica:0/task:0")
                    .withMessageContaining("not in the cluster");
        }
    }

    @Test
    void aConsumerOutsideTheClusterIsRefused() {
        for (var stranger : new String[] {"ps", "chief"}) {
            RendezvousKey key = RendezvousKey.of(producer().deviceName(0), Workers.device(stranger, 0), "a");
            try (Tensor tensor = Contents.number(allocator(), 1)) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> sending().send(key, tensor))
                        .withMessageContaining("/job:" + stranger + "/replica:0/task:0")
                        .withMessageContaining("not in the cluster");
                assertThat(tensor.isClosed()).isFalse();
            }
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> sending().sendDead(key))
                    .withMessageContaining("not in the cluster");
        }
    }

    @Test
    void aRefusedKeyLeavesTheStepUsable() throws Exception {
        assertThatIllegalArgumentException().isThrownBy(() -> receiving().sendDead(key("a")));
        assertThatIllegalArgumentException().isThrownBy(() -> sending().recvAsync(key("a")));
        send("a", 9);

        assertThat(Contents.number(receive("a"))).isEqualTo(9);
    }

    @Test
    void keysThatDifferInOnePartAreDifferentKeys() throws Exception {
        var from = producer().deviceName(0);
        var to = consumer().deviceName(0);
        RendezvousKey[] keys = {
            RendezvousKey.of(from, 0, to, "a", 0, 0),
            RendezvousKey.of(from, 1, to, "a", 0, 0),
            RendezvousKey.of(from, 0, to, "b", 0, 0),
            RendezvousKey.of(from, 0, to, "a", 1, 0),
            RendezvousKey.of(from, 0, to, "a", 0, 1),
            RendezvousKey.of(producer().deviceName(1), 0, to, "a", 0, 0),
            RendezvousKey.of(from, 0, consumer().deviceName(1), "a", 0, 0)
        };
        for (int i = 0; i < keys.length; i++) {
            sending().send(keys[i], Contents.number(allocator(), i));
        }
        for (int i = keys.length - 1; i >= 0; i--) {
            assertThat(Contents.number(receiving().recv(keys[i], LIMIT))).isEqualTo(i);
        }
    }
}
