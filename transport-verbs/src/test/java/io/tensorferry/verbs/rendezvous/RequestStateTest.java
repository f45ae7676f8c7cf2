package io.tensorferry.verbs.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.RequestState.Action;
import io.tensorferry.verbs.rendezvous.RequestState.Allocating;
import io.tensorferry.verbs.rendezvous.RequestState.AwaitingChannel;
import io.tensorferry.verbs.rendezvous.RequestState.AwaitingContent;
import io.tensorferry.verbs.rendezvous.RequestState.AwaitingReply;
import io.tensorferry.verbs.rendezvous.RequestState.Ended;
import io.tensorferry.verbs.rendezvous.RequestState.Event;
import io.tensorferry.verbs.rendezvous.RequestState.Filling;
import io.tensorferry.verbs.rendezvous.RequestState.GivenUp;
import io.tensorferry.verbs.rendezvous.RequestState.Landed;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RequestStateTest {
    private static final TensorMetaData SMALL = TensorMetaData.of(DataType.FLOAT, Shape.of(2));
    private static final TensorMetaData LARGE = TensorMetaData.of(DataType.FLOAT, Shape.of(2000));
    private final TransportException why = new TransportException(StatusCode.UNAVAILABLE, "gone");

    private static void assertStep(RequestState from, Event event, RequestState to, Action... actions) {
        var step = RequestState.step(from, event);
        assertThat(step.next()).isEqualTo(to);
        assertThat(step.actions()).containsExactly(actions);
    }

    @Test
    void aWarmRequestIsDeliveredWithoutAnotherRoundTrip() {
        assertStep(
                new AwaitingChannel(SMALL, false),
                new Event.ChannelOpen(),
                new AwaitingReply(SMALL),
                new Action.SendRequest(SMALL, false));
        assertStep(new AwaitingReply(SMALL), new Event.ContentLanded(), new Landed(SMALL), new Action.RevokeKey());
        assertStep(
                new Landed(SMALL), new Event.KeyRevoked(), new Ended(), new Action.Forget(), new Action.Deliver(SMALL));
    }

    @Test
    void changedMetaDataTakesOneMoreRoundTrip() {
        assertStep(
                new AwaitingReply(SMALL),
                new Event.MetaDataChanged(LARGE),
                new Allocating(LARGE),
                new Action.ReleaseMemory(),
                new Action.Allocate(LARGE));
        assertStep(
                new Allocating(LARGE),
                new Event.Allocated(),
                new AwaitingContent(LARGE),
                new Action.SendReRequest(LARGE));
        assertStep(new AwaitingContent(LARGE), new Event.ContentLanded(), new Landed(LARGE), new Action.RevokeKey());
        assertStep(
                new Landed(LARGE), new Event.KeyRevoked(), new Ended(), new Action.Forget(), new Action.Deliver(LARGE));
    }

    @Test
    void aContentThatComesWithItsMetaDataEndsTheRequestWithoutAnotherRoundTrip() {
        assertStep(
                new AwaitingReply(SMALL),
                new Event.ContentCarried(LARGE),
                new Filling(LARGE),
                new Action.ReleaseMemory(),
                new Action.Allocate(LARGE));
        assertStep(
                new Filling(LARGE), new Event.Allocated(), new Ended(), new Action.Forget(), new Action.Deliver(LARGE));
        assertStep(
                new Filling(LARGE),
                new Event.AllocationFailed(why),
                new Ended(),
                new Action.ReleaseMemory(),
                new Action.Forget(),
                new Action.Fail(why));
    }

    /// The sender is done with it: nobody is told, and nothing waits for an answer.
    @Test
    void nothingButTheUserStopsAContentThatIsThere() {
        var filling = new Filling(LARGE);
        for (Event event : List.of(
                new Event.ChannelSuspended(true),
                new Event.ChannelLost(why),
                new Event.Refused(why),
                new Event.ContentLanded(),
                new Event.ContentCarried(SMALL),
                new Event.MetaDataChanged(SMALL))) {
            assertStep(filling, event, filling);
        }
        assertStep(filling, new Event.UserGaveUp(), new Ended(), new Action.Forget());
        assertStep(
                new GivenUp(),
                new Event.ContentCarried(LARGE),
                new Ended(),
                new Action.ReleaseMemory(),
                new Action.Forget());
    }

    @Test
    void aRequestThatWaitsForAChannelMovesToTheFallbackWithItsMemoryGivenBack() {
        for (boolean replay : new boolean[] {false, true}) {
            assertStep(
                    new AwaitingChannel(SMALL, replay),
                    new Event.FallbackOpen(),
                    new Ended(),
                    new Action.ReleaseMemory(),
                    new Action.MoveToFallback(replay),
                    new Action.Forget());
        }
        assertStep(new Ended(), new Event.FallbackOpen(), new Ended());
    }

    @Test
    void aRequestOnAChannelNeverMovesToTheFallback() {
        for (RequestState state :
                List.of(new AwaitingReply(SMALL), new Allocating(SMALL), new AwaitingContent(SMALL), new GivenUp())) {
            assertThatThrownBy(() -> RequestState.step(state, new Event.FallbackOpen()))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void memoryThatThePeerMayWriteIsKeptWhenTheUserGivesUp() {
        for (RequestState state :
                List.of(new AwaitingReply(SMALL), new Allocating(SMALL), new AwaitingContent(SMALL))) {
            assertStep(state, new Event.UserGaveUp(), new GivenUp(), new Action.SendGiveUp());
        }
        assertStep(
                new GivenUp(), new Event.ContentLanded(), new Ended(), new Action.ReleaseMemory(), new Action.Forget());
        assertStep(new GivenUp(), new Event.Refused(why), new Ended(), new Action.ReleaseMemory(), new Action.Forget());
    }

    @Test
    void metaDataThatCrossesTheGiveUpChangesNothing() {
        assertStep(new GivenUp(), new Event.MetaDataChanged(LARGE), new GivenUp());
    }

    @Test
    void memoryThatComesAfterTheEndIsReleased() {
        assertStep(new Ended(), new Event.Allocated(), new Ended(), new Action.ReleaseMemory());
        assertStep(new GivenUp(), new Event.Allocated(), new GivenUp(), new Action.ReleaseMemory());
    }

    @Test
    void aFailedAllocationFailsTheReceiveAndTellsTheSender() {
        assertStep(
                new Allocating(LARGE),
                new Event.AllocationFailed(why),
                new GivenUp(),
                new Action.Fail(why),
                new Action.SendGiveUp());
    }

    static List<RequestState> waiting() {
        return List.of(
                new AwaitingChannel(SMALL, false),
                new AwaitingReply(null),
                new Allocating(LARGE),
                new AwaitingContent(LARGE));
    }

    @ParameterizedTest
    @MethodSource("waiting")
    void aLostChannelFailsWhateverWaits(RequestState state) {
        assertStep(
                state,
                new Event.ChannelLost(why),
                new Ended(),
                new Action.ReleaseMemory(),
                new Action.Forget(),
                new Action.Fail(why));
    }

    @Test
    void aSuspendedRequestIsAskedAgainWithTheMemoryThatItHas() {
        assertStep(
                new AwaitingReply(SMALL),
                new Event.ChannelSuspended(true),
                new AwaitingChannel(SMALL, true),
                new Action.AwaitChannel());
        assertStep(
                new AwaitingContent(LARGE),
                new Event.ChannelSuspended(true),
                new AwaitingChannel(LARGE, true),
                new Action.AwaitChannel());
        assertStep(
                new AwaitingChannel(LARGE, true),
                new Event.ChannelOpen(),
                new AwaitingReply(LARGE),
                new Action.SendRequest(LARGE, true));
    }

    /// Others wait for such memory, and nobody knows when there is a channel again.
    @Test
    void aSuspendedRequestThatKeepsNoMemoryIsAskedAnewWithoutIt() {
        for (RequestState state : List.of(new AwaitingReply(LARGE), new AwaitingContent(LARGE))) {
            assertStep(
                    state,
                    new Event.ChannelSuspended(false),
                    new AwaitingChannel(null, true),
                    new Action.ReleaseMemory(),
                    new Action.AwaitChannel());
        }
        assertStep(
                new AwaitingChannel(null, true),
                new Event.ChannelOpen(),
                new AwaitingReply(null),
                new Action.SendRequest(null, true));
    }

    @Test
    void anAllocationUnderWayIsNotWaitedForWhenTheChannelIsSuspended() {
        for (boolean keepsMemory : new boolean[] {false, true}) {
            assertStep(
                    new Allocating(LARGE),
                    new Event.ChannelSuspended(keepsMemory),
                    new AwaitingChannel(null, true),
                    new Action.AwaitChannel());
        }
    }

    @Test
    void whatWasGivenUpIsNotAskedAgain() {
        assertStep(
                new GivenUp(),
                new Event.ChannelSuspended(true),
                new Ended(),
                new Action.ReleaseMemory(),
                new Action.Forget());
        assertStep(
                new AwaitingChannel(SMALL, true),
                new Event.UserGaveUp(),
                new Ended(),
                new Action.LeaveChannelQueue(),
                new Action.ReleaseMemory(),
                new Action.Forget());
    }

    @Test
    void contentWithoutMemoryIsAViolation() {
        for (RequestState state :
                List.of(new AwaitingReply(null), new Allocating(SMALL), new AwaitingChannel(null, false))) {
            assertThatThrownBy(() -> RequestState.step(state, new Event.ContentLanded()))
                    .isInstanceOf(ProtocolViolationException.class);
        }
    }

    @Test
    void metaDataTwiceIsAViolation() {
        for (RequestState state : List.of(new Allocating(SMALL), new AwaitingContent(SMALL))) {
            assertThatThrownBy(() -> RequestState.step(state, new Event.MetaDataChanged(SMALL)))
                    .isInstanceOf(ProtocolViolationException.class);
            assertThatThrownBy(() -> RequestState.step(state, new Event.ContentCarried(SMALL)))
                    .isInstanceOf(ProtocolViolationException.class);
        }
    }

    @Test
    void contentIsDeliveredOnlyWhenThePeerCanWriteNoMore() {
        var landed = new Landed(SMALL);
        for (Event event : List.of(
                new Event.UserGaveUp(),
                new Event.ContentLanded(),
                new Event.MetaDataChanged(LARGE),
                new Event.Refused(why))) {
            assertStep(landed, event, landed);
        }
        assertStep(landed, new Event.KeyRevoked(), new Ended(), new Action.Forget(), new Action.Deliver(SMALL));
        assertStep(
                landed,
                new Event.ChannelLost(why),
                new Ended(),
                new Action.ReleaseMemory(),
                new Action.Forget(),
                new Action.Fail(why));
    }

    @Test
    void aRequestWithoutAKeyFails() {
        assertStep(
                new AwaitingReply(SMALL),
                new Event.NoKey(why),
                new Ended(),
                new Action.ReleaseMemory(),
                new Action.Forget(),
                new Action.Fail(why));
        assertStep(
                new AwaitingContent(LARGE),
                new Event.NoKey(why),
                new GivenUp(),
                new Action.Fail(why),
                new Action.SendGiveUp());
        assertStep(new GivenUp(), new Event.NoKey(why), new Ended(), new Action.ReleaseMemory(), new Action.Forget());
    }
}
