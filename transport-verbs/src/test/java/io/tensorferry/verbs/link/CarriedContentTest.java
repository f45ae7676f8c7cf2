package io.tensorferry.verbs.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorferry.verbs.channel.Departures;
import io.tensorferry.verbs.channel.lane.ContentWrite;
import io.tensorferry.verbs.channel.lane.RecordedContent;
import io.tensorferry.verbs.channel.lane.RecordingQueuePair.Sent;
import io.tensorferry.verbs.channel.lane.SlabKeys;
import io.tensorferry.verbs.channel.lane.TestRing;
import io.tensorferry.verbs.channel.setup.ChannelCounters;
import io.tensorferry.verbs.loop.TurnBudget;
import io.tensorferry.verbs.wire.Message;
import io.tensorferry.verbs.wire.RequestIndex;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Contents inside the ring: each is notified of its end once, whenever the channel is lost.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class CarriedContentTest {
    private final TestRing test = new TestRing();
    private final List<String> events = new ArrayList<>();
    private final TurnBudget work = new TurnBudget();
    private final Departures departures =
            new Departures(List.of(test.control), test.ring, new SlabKeys(test.ring), new ChannelCounters(), work);

    @AfterEach
    void close() {
        test.close();
    }

    private RecordedContent enqueue(int slot, int length) {
        var content = new RecordedContent(slot, length, events);
        test.ring.enqueue(content);
        return content;
    }

    private List<Integer> indexes(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(slot -> RequestIndex.of(slot, 0))
                .toList();
    }

    private void completeAll() {
        departures.onCompletion(test.control, test.queuePair.sent().getLast().workId());
    }

    /// Pumps in a separate turn.
    private void pump() {
        work.begin(TurnBudget.PER_TURN);
        departures.pump(true);
    }

    @Test
    void contentsAndMessagesGoInOneWriteWhoseCompletionIsAskedFor() {
        Message first = enqueue(1, 100).carried();
        test.ring.enqueue(new Message.Heartbeat());
        Message second = enqueue(2, 0).carried();
        pump();
        assertThat(test.queuePair.sent()).hasSize(1).allMatch(Sent::signaled);
        assertThat(test.inSlot(0)).containsExactly(first, new Message.Heartbeat(), second);
        assertThat(events).isEmpty();
        completeAll();
        assertThat(events).containsExactly("written 1", "written 2");
    }

    @Test
    void messagesAloneAskForNoCompletion() {
        test.ring.enqueue(new Message.Heartbeat());
        pump();
        assertThat(test.queuePair.sent()).hasSize(1).noneMatch(Sent::signaled);
    }

    @Test
    void aLostChannelGivesBackWhatIsNotKnownToBeWritten() {
        for (int i = 0; i < 4; i++) {
            enqueue(i, 3000);
        }
        pump();
        departures.onCompletion(test.control, test.queuePair.sent().get(1).workId());
        enqueue(4, 3000);
        assertThat(departures.abandon()).isEqualTo(indexes(0, 2));
        assertThat(events)
                .containsExactlyInAnyOrder("written 0", "written 1", "abandoned 2", "abandoned 3", "abandoned 4");
    }

    /// A batch is four slots; each has one content of 3,000 bytes, or many small ones.
    @Test
    void whatThePeerHasAcknowledgedIsConfirmed() {
        for (int i = 0; i < 3; i++) {
            enqueue(i, 3000);
        }
        pump();
        // All in one slot, and more than the first ring buffer of indexes holds.
        for (int i = 3; i < 103; i++) {
            enqueue(i, 8);
        }
        pump();
        enqueue(103, 3000);
        pump();
        completeAll();
        assertThat(events).hasSize(104);
        assertThat(test.queuePair.sent()).hasSize(5);
        test.ring.onAcknowledged(test.control.onAcknowledgement());
        assertThat(departures.abandon()).isEqualTo(indexes(103, 104));
        assertThat(events).hasSize(104);
    }

    @Test
    void manyRoundsOfTheRingKeepTheCount() {
        int sent = 0;
        for (int round = 0; round < 100; round++) {
            for (int i = 0; i < TestRing.SLOTS / 4; i++) {
                for (int j = 0; j < 1 + (round + i) % 50; j++) {
                    enqueue(sent++, 16);
                }
                pump();
            }
            completeAll();
            test.ring.onAcknowledged(test.control.onAcknowledgement());
        }
        enqueue(sent, 16);
        pump();
        completeAll();
        assertThat(events).hasSize(sent + 1);
        assertThat(departures.abandon()).isEqualTo(indexes(sent, sent + 1));
    }

    @Test
    void aContentThatCannotBeReadTakesNoOtherWithIt() {
        enqueue(1, 100);
        test.ring.enqueue(new ContentWrite(1, 8, 1, 1, 1, RequestIndex.of(2, 0)) {
            @Override
            public int encodedSize() {
                return 32;
            }

            @Override
            public int encode(MemorySegment target, long offset, int room) {
                throw new IllegalStateException("the memory is gone");
            }

            @Override
            public void onWritten() {
                events.add("written 2");
            }

            @Override
            public void onAbandoned() {
                events.add("abandoned 2");
            }
        });
        enqueue(3, 100);
        assertThatIllegalStateException().isThrownBy(() -> pump());
        departures.abandon();
        assertThat(events).containsExactlyInAnyOrder("abandoned 1", "abandoned 2", "abandoned 3");
    }
}
