package io.tensorferry.verbs.rendezvous.transfer;

import static io.tensorferry.verbs.rendezvous.transfer.RequestState.ALLOCATING;
import static io.tensorferry.verbs.rendezvous.transfer.RequestState.ASKED;
import static io.tensorferry.verbs.rendezvous.transfer.RequestState.ASKED_WITH_MEMORY;
import static io.tensorferry.verbs.rendezvous.transfer.RequestState.AWAITING_CHANNEL;
import static io.tensorferry.verbs.rendezvous.transfer.RequestState.AWAITING_CONTENT;
import static io.tensorferry.verbs.rendezvous.transfer.RequestState.ENDED;
import static io.tensorferry.verbs.rendezvous.transfer.RequestState.FILLING;
import static io.tensorferry.verbs.rendezvous.transfer.RequestState.GIVEN_UP;
import static io.tensorferry.verbs.rendezvous.transfer.RequestState.LANDED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.verbs.rendezvous.transfer.RequestState.Action;
import io.tensorferry.verbs.rendezvous.transfer.RequestState.Event;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RequestStateTest {
    private static final List<RequestState> ON_A_CHANNEL =
            List.of(ASKED, ASKED_WITH_MEMORY, ALLOCATING, AWAITING_CONTENT);

    private static void assertStep(RequestState from, Event event, RequestState to, Action... actions) {
        var step = from.step(event);
        assertThat(step.next()).isEqualTo(to);
        assertThat(step.actions()).containsExactly(actions);
    }

    private static void assertViolation(RequestState state, Event event) {
        assertThatThrownBy(() -> state.step(event)).isInstanceOf(ProtocolViolationException.class);
    }

    @Test
    void aWarmRequestIsDeliveredWithoutAnotherRoundTrip() {
        assertStep(AWAITING_CHANNEL, Event.CHANNEL_OPEN_WITH_MEMORY, ASKED_WITH_MEMORY, Action.SEND_REQUEST);
        assertStep(ASKED_WITH_MEMORY, Event.CONTENT_LANDED, LANDED, Action.REVOKE_KEY);
        assertStep(LANDED, Event.KEY_REVOKED, ENDED, Action.FORGET, Action.DELIVER);
    }

    @Test
    void changedMetaDataTakesOneMoreRoundTrip() {
        for (RequestState asked : List.of(ASKED, ASKED_WITH_MEMORY)) {
            assertStep(asked, Event.METADATA_CHANGED, ALLOCATING, Action.RELEASE_MEMORY, Action.ALLOCATE);
        }
        assertStep(ALLOCATING, Event.ALLOCATED, AWAITING_CONTENT, Action.SEND_RE_REQUEST);
        assertStep(AWAITING_CONTENT, Event.CONTENT_LANDED, LANDED, Action.REVOKE_KEY);
        assertStep(LANDED, Event.KEY_REVOKED, ENDED, Action.FORGET, Action.DELIVER);
    }

    @Test
    void aContentThatComesWithItsMetaDataEndsTheRequestWithoutAnotherRoundTrip() {
        for (RequestState asked : List.of(ASKED, ASKED_WITH_MEMORY)) {
            assertStep(asked, Event.CONTENT_CARRIED, FILLING, Action.RELEASE_MEMORY, Action.ALLOCATE);
        }
        assertStep(FILLING, Event.ALLOCATED, ENDED, Action.FORGET, Action.DELIVER);
        assertStep(FILLING, Event.ALLOCATION_FAILED, ENDED, Action.RELEASE_MEMORY, Action.FORGET, Action.FAIL);
    }

    /// The sender has finished: it is not notified, and no answer is awaited.
    @Test
    void onlyTheUserStopsAContentThatHasArrived() {
        for (Event event : List.of(
                Event.SUSPENDED,
                Event.SUSPENDED_WITH_MEMORY,
                Event.CHANNEL_LOST,
                Event.REFUSED,
                Event.CONTENT_LANDED,
                Event.CONTENT_CARRIED,
                Event.METADATA_CHANGED)) {
            assertStep(FILLING, event, FILLING);
        }
        assertStep(FILLING, Event.USER_GAVE_UP, ENDED, Action.FORGET);
        assertStep(GIVEN_UP, Event.CONTENT_CARRIED, ENDED, Action.RELEASE_MEMORY, Action.FORGET);
    }

    @Test
    void aRequestThatWaitsForAChannelMovesToTheFallbackWithItsMemoryGivenBack() {
        assertStep(
                AWAITING_CHANNEL,
                Event.FALLBACK_OPEN,
                ENDED,
                Action.RELEASE_MEMORY,
                Action.MOVE_TO_FALLBACK,
                Action.FORGET);
        assertStep(ENDED, Event.FALLBACK_OPEN, ENDED);
    }

    @ParameterizedTest
    @EnumSource(
            value = RequestState.class,
            names = {"ASKED", "ASKED_WITH_MEMORY", "ALLOCATING", "AWAITING_CONTENT", "GIVEN_UP"})
    void aRequestOnAChannelNeverMovesToTheFallback(RequestState state) {
        assertThatThrownBy(() -> state.step(Event.FALLBACK_OPEN)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void memoryThatThePeerMayWriteIsKeptWhenTheUserGivesUp() {
        for (RequestState state : ON_A_CHANNEL) {
            assertStep(state, Event.USER_GAVE_UP, GIVEN_UP, Action.SEND_GIVE_UP);
        }
        assertStep(GIVEN_UP, Event.CONTENT_LANDED, ENDED, Action.RELEASE_MEMORY, Action.FORGET);
        assertStep(GIVEN_UP, Event.REFUSED, ENDED, Action.RELEASE_MEMORY, Action.FORGET);
    }

    @Test
    void metaDataThatCrossesTheGiveUpChangesNothing() {
        assertStep(GIVEN_UP, Event.METADATA_CHANGED, GIVEN_UP);
    }

    @Test
    void memoryThatComesAfterTheEndIsReleased() {
        assertStep(ENDED, Event.ALLOCATED, ENDED, Action.RELEASE_MEMORY);
        assertStep(GIVEN_UP, Event.ALLOCATED, GIVEN_UP, Action.RELEASE_MEMORY);
    }

    @Test
    void aFailedAllocationFailsTheReceiveAndTellsTheSender() {
        assertStep(ALLOCATING, Event.ALLOCATION_FAILED, GIVEN_UP, Action.FAIL, Action.SEND_GIVE_UP);
    }

    @ParameterizedTest
    @EnumSource(
            value = RequestState.class,
            names = {"AWAITING_CHANNEL", "ASKED", "ASKED_WITH_MEMORY", "ALLOCATING", "AWAITING_CONTENT", "LANDED"})
    void aLostChannelFailsEveryRequestThatWaits(RequestState state) {
        assertStep(state, Event.CHANNEL_LOST, ENDED, Action.RELEASE_MEMORY, Action.FORGET, Action.FAIL);
    }

    @Test
    void aSuspendedRequestIsAskedAgainWithTheMemoryThatItHas() {
        for (RequestState state : List.of(ASKED_WITH_MEMORY, AWAITING_CONTENT)) {
            assertStep(state, Event.SUSPENDED_WITH_MEMORY, AWAITING_CHANNEL, Action.AWAIT_CHANNEL);
        }
    }

    /// Others wait for such memory, and the time of the next channel is unknown.
    @Test
    void aSuspendedRequestThatKeepsNoMemoryIsAskedAnewWithoutIt() {
        for (RequestState state : List.of(ASKED, ASKED_WITH_MEMORY, AWAITING_CONTENT)) {
            assertStep(state, Event.SUSPENDED, AWAITING_CHANNEL, Action.RELEASE_MEMORY, Action.AWAIT_CHANNEL);
        }
        assertStep(AWAITING_CHANNEL, Event.CHANNEL_OPEN, ASKED, Action.SEND_REQUEST);
    }

    @Test
    void anAllocationUnderWayIsNotWaitedForWhenTheChannelIsSuspended() {
        for (Event event : List.of(Event.SUSPENDED, Event.SUSPENDED_WITH_MEMORY)) {
            assertStep(ALLOCATING, event, AWAITING_CHANNEL, Action.AWAIT_CHANNEL);
        }
    }

    @Test
    void aRequestThatWasGivenUpIsNotAskedAgain() {
        assertStep(GIVEN_UP, Event.SUSPENDED_WITH_MEMORY, ENDED, Action.RELEASE_MEMORY, Action.FORGET);
        assertStep(
                AWAITING_CHANNEL,
                Event.USER_GAVE_UP,
                ENDED,
                Action.LEAVE_CHANNEL_QUEUE,
                Action.RELEASE_MEMORY,
                Action.FORGET);
    }

    @Test
    void contentWithoutMemoryIsAViolation() {
        for (RequestState state : List.of(ASKED, ALLOCATING, AWAITING_CHANNEL)) {
            assertViolation(state, Event.CONTENT_LANDED);
        }
    }

    @Test
    void metaDataTwiceIsAViolation() {
        for (RequestState state : List.of(ALLOCATING, AWAITING_CONTENT)) {
            assertViolation(state, Event.METADATA_CHANGED);
            assertViolation(state, Event.CONTENT_CARRIED);
        }
    }

    @Test
    void anAnswerToARequestThatWasNotSentIsAViolation() {
        for (Event event : List.of(Event.METADATA_CHANGED, Event.CONTENT_CARRIED, Event.REFUSED)) {
            assertViolation(AWAITING_CHANNEL, event);
        }
    }

    @Test
    void contentIsDeliveredOnlyWhenThePeerCanWriteNoMore() {
        for (Event event : List.of(Event.USER_GAVE_UP, Event.CONTENT_LANDED, Event.METADATA_CHANGED, Event.REFUSED)) {
            assertStep(LANDED, event, LANDED);
        }
        assertStep(LANDED, Event.KEY_REVOKED, ENDED, Action.FORGET, Action.DELIVER);
    }

    @Test
    void aRequestWithoutAKeyFails() {
        assertStep(ASKED_WITH_MEMORY, Event.NO_KEY, ENDED, Action.RELEASE_MEMORY, Action.FORGET, Action.FAIL);
        assertStep(AWAITING_CONTENT, Event.NO_KEY, GIVEN_UP, Action.FAIL, Action.SEND_GIVE_UP);
        assertStep(GIVEN_UP, Event.NO_KEY, ENDED, Action.RELEASE_MEMORY, Action.FORGET);
    }

    /// The loop allocates nothing.
    @Test
    void aTransitionIsMadeOnce() {
        for (RequestState state : RequestState.values()) {
            for (Event event : Event.values()) {
                RequestState.Step step;
                try {
                    step = state.step(event);
                } catch (ProtocolViolationException | IllegalStateException _) {
                    continue;
                }
                assertThat(state.step(event)).isSameAs(step);
            }
        }
    }
}
