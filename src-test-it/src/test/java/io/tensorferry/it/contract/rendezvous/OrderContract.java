package io.tensorferry.it.contract.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// Each key is a queue, and neither side must come first.
abstract class OrderContract extends RendezvousContract {
    OrderContract(Protocol protocol) {
        super(protocol);
    }

    @Test
    void theTensorMayComeBeforeTheRequest() throws Exception {
        send("a", 1);

        assertThat(Contents.number(receive("a"))).isEqualTo(1);
    }

    @Test
    void theRequestMayComeBeforeTheTensor() throws Exception {
        CompletableFuture<RecvResult> receive = receiving().recvAsync(key("a"));
        // Another tensor's way there and back: the request is known to the producer by then, or soon after.
        send("b", 2);
        Contents.number(receive("b"));
        assertThat(receive).isNotDone();

        send("a", 1);

        assertThat(Contents.number(await(receive))).isEqualTo(1);
    }

    @Test
    void sendsOfOneKeyAreReceivedInTheirOrder() throws Exception {
        for (int i = 0; i < 100; i++) {
            send("a", i);
        }
        for (int i = 0; i < 100; i++) {
            assertThat(Contents.number(receive("a"))).isEqualTo(i);
        }
    }

    @Test
    void deadTensorsTakeTheirPlaceInTheQueue() throws Exception {
        send("a", 1);
        sending().sendDead(key("a"));
        send("a", 3);

        assertThat(Contents.number(receive("a"))).isEqualTo(1);
        assertThat(receive("a")).isEqualTo(new RecvResult.Dead());
        assertThat(Contents.number(receive("a"))).isEqualTo(3);
    }

    @Test
    void keysDoNotMix() throws Exception {
        for (int i = 0; i < 50; i++) {
            send("edge " + i, i);
        }
        for (int i = 49; i >= 0; i--) {
            assertThat(Contents.number(receive("edge " + i))).isEqualTo(i);
        }
    }

    @Test
    void stepsDoNotMix() throws Exception {
        for (int step = 1; step <= 5; step++) {
            sending(step).send(key("a"), Contents.number(allocator(), step));
        }
        for (int step = 5; step >= 1; step--) {
            assertThat(Contents.number(receiving(step).recv(key("a"), LIMIT))).isEqualTo(step);
        }
    }

    @Test
    void eachSendOfOneKeyReachesExactlyOneOfManyWaitingReceives() throws Exception {
        var receives = new ArrayList<CompletableFuture<RecvResult>>();
        for (int i = 0; i < 200; i++) {
            receives.add(receiving().recvAsync(key("a")));
        }
        for (int i = 0; i < 200; i++) {
            send("a", i);
        }
        var values = new ArrayList<Integer>();
        for (CompletableFuture<RecvResult> receive : receives) {
            values.add(Contents.number(await(receive)));
        }
        assertThat(values)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 200).boxed().toList());
    }

    @Test
    void bothDirectionsAreIndependent() throws Exception {
        var there = key("a");
        var back = workers().key(CONSUMER, PRODUCER, "a");
        CompletableFuture<RecvResult> first = receiving().recvAsync(there);
        CompletableFuture<RecvResult> second = sending().recvAsync(back);
        receiving().send(back, Contents.number(allocator(consumer()), 2));
        sending().send(there, Contents.number(allocator(), 1));

        assertThat(List.of(Contents.number(await(first)), Contents.number(await(second))))
                .containsExactly(1, 2);
    }

    @Test
    void aReceiveOnTheSameWorkerSharesTheMemory() throws Exception {
        Tensor sent = Contents.bytes(allocator(), 4096, 5);
        long address = sent.address();
        CompletableFuture<RecvResult> early = sending().recvAsync(localKey("early"));
        sending().send(localKey("early"), sent.share());
        sending().send(localKey("late"), sent);
        for (RecvResult result : List.of(await(early), sending().recv(localKey("late"), LIMIT))) {
            assertThat(((RecvResult.Received) result).tensor().address()).isEqualTo(address);
            Contents.checkBytes(result, 4096, 5);
        }
        sending().sendDead(localKey("dead"));
        assertThat(sending().recv(localKey("dead"), LIMIT)).isEqualTo(new RecvResult.Dead());
    }
}
