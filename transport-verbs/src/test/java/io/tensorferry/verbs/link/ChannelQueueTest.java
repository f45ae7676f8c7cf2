package io.tensorferry.verbs.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import io.tensorferry.verbs.channel.setup.ChannelCounters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChannelQueueTest {
    private static final class Waiter implements ChannelWaiter {
        @Override
        public void onChannel(RdmaChannel channel) {}

        @Override
        public void onNoChannel(TransportException cause) {}
    }

    private final ChannelCounters counters = new ChannelCounters();
    private final ChannelQueue queue = new ChannelQueue(counters);
    private final Waiter first = new Waiter();
    private final Waiter second = new Waiter();
    private final Waiter third = new Waiter();
    private final List<ChannelWaiter> served = new ArrayList<>();

    @Test
    void allAreServedOnceInTheOrderOfAsking() {
        queue.add(first);
        queue.add(second);
        queue.add(first);
        queue.add(third);
        assertThat(counters.waiting()).isEqualTo(3);
        queue.drain(served::add);
        assertThat(served).containsExactly(first, second, third);
        assertThat(queue.isEmpty()).isTrue();
        assertThat(counters.waiting()).isZero();
    }

    @Test
    void whoLeavesIsForgotten() {
        queue.add(first);
        queue.add(second);
        queue.remove(first);
        queue.remove(third);
        assertThat(counters.waiting()).isEqualTo(1);
        queue.drain(served::add);
        assertThat(served).containsExactly(second);
    }

    @Test
    void whoLeavesWhileOthersAreServedIsNotCalled() {
        queue.add(first);
        queue.add(second);
        queue.add(third);
        queue.drain(waiter -> {
            served.add(waiter);
            queue.remove(second);
        });
        assertThat(served).containsExactly(first, third);
    }

    @Test
    void whoAsksWhileOthersAreServedWaitsForTheNextTime() {
        queue.add(first);
        queue.add(second);
        queue.drain(waiter -> {
            served.add(waiter);
            queue.remove(second);
            queue.add(waiter);
            queue.add(third);
        });
        assertThat(served).containsExactly(first);
        queue.drain(served::add);
        assertThat(served).containsExactly(first, first, third);
    }
}
