package io.tensorferry.verbs.rendezvous.transfer;

import static io.tensorferry.verbs.rendezvous.transfer.ResponseState.AWAITING_RE_REQUEST;
import static io.tensorferry.verbs.rendezvous.transfer.ResponseState.AWAITING_TENSOR;
import static io.tensorferry.verbs.rendezvous.transfer.ResponseState.DETACHED;
import static io.tensorferry.verbs.rendezvous.transfer.ResponseState.DETACHED_FAILURE;
import static io.tensorferry.verbs.rendezvous.transfer.ResponseState.ENDED;
import static io.tensorferry.verbs.rendezvous.transfer.ResponseState.HANDING_OVER;
import static io.tensorferry.verbs.rendezvous.transfer.ResponseState.PREPARING_DETACHED;
import static io.tensorferry.verbs.rendezvous.transfer.ResponseState.WRITING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.verbs.rendezvous.transfer.ResponseState.Action;
import io.tensorferry.verbs.rendezvous.transfer.ResponseState.Event;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResponseStateTest {
    private static final List<Event> READY = List.of(Event.PREPARED_AS_EXPECTED, Event.PREPARED_SMALL, Event.PREPARED);

    private static void assertStep(ResponseState from, Event event, ResponseState to, Action... actions) {
        var step = from.step(event);
        assertThat(step.next()).isEqualTo(to);
        assertThat(step.actions()).containsExactly(actions);
    }

    private static void assertViolation(ResponseState state, Event event) {
        assertThatThrownBy(() -> state.step(event)).isInstanceOf(ProtocolViolationException.class);
    }

    private static void assertImpossible(ResponseState state, Event event) {
        assertThatThrownBy(() -> state.step(event)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aKeptTensorIsHandedOverWhenItIsClaimedAndReady() {
        assertStep(DETACHED, Event.CLAIMED, ENDED, Action.HAND_OVER, Action.FORGET);
        assertStep(PREPARING_DETACHED, Event.CLAIMED, HANDING_OVER);
        for (Event ready : READY) {
            assertStep(HANDING_OVER, ready, ENDED, Action.HAND_OVER, Action.FORGET);
        }
        assertStep(HANDING_OVER, Event.LOCAL_FAILURE, ENDED, Action.FAIL_CLAIM, Action.FORGET);
        assertStep(DETACHED_FAILURE, Event.CLAIMED, ENDED, Action.FAIL_CLAIM, Action.FORGET);
    }

    @Test
    void channelsDoNotConcernAClaimedTensor() {
        for (Event event : List.of(Event.NOT_REPLAYED, Event.CHANNEL_SUSPENDED, Event.CHANNEL_LOST)) {
            assertStep(HANDING_OVER, event, HANDING_OVER);
        }
        assertViolation(HANDING_OVER, Event.REPLAYED);
        assertViolation(HANDING_OVER, Event.CLAIMED);
    }

    @Test
    void aResponseOnAnOpenChannelCannotBeClaimedOrReplayed() {
        for (ResponseState state : List.of(AWAITING_TENSOR, AWAITING_RE_REQUEST, WRITING)) {
            assertViolation(state, Event.CLAIMED);
            assertViolation(state, Event.REPLAYED);
        }
    }

    @Test
    void aTensorAsExpectedIsWrittenAtOnce() {
        assertStep(AWAITING_TENSOR, Event.PREPARED_AS_EXPECTED, WRITING, Action.WRITE);
        assertStep(WRITING, Event.WRITTEN, ENDED, Action.RELEASE_CONTENT, Action.FORGET);
    }

    @Test
    void aContentThatCannotBeCopiedEndsWithAnErrorThatFreesTheReceiversMemory() {
        assertStep(WRITING, Event.STAGING_FAILED, ENDED, Action.SEND_ERROR, Action.RELEASE_CONTENT, Action.FORGET);
        assertStep(WRITING, Event.RECEIVER_GAVE_UP, WRITING);
        assertStep(ENDED, Event.STAGING_FAILED, ENDED);
    }

    @Test
    void aContentInPiecesThatIsGivenUpIsConfirmedWhenNothingOfItIsUnderWay() {
        assertStep(WRITING, Event.PIECES_STOPPED, ENDED, Action.RELEASE_CONTENT, Action.CONFIRM_GIVE_UP, Action.FORGET);
        assertStep(ENDED, Event.PIECES_STOPPED, ENDED);
        for (ResponseState state : List.of(AWAITING_TENSOR, AWAITING_RE_REQUEST, DETACHED)) {
            assertImpossible(state, Event.PIECES_STOPPED);
        }
    }

    @Test
    void nothingIsCopiedBeforeTheReceiverHasNamedMemoryOrWhenItsChannelIsLost() {
        for (ResponseState state : List.of(
                AWAITING_TENSOR, AWAITING_RE_REQUEST, DETACHED, PREPARING_DETACHED, DETACHED_FAILURE, HANDING_OVER)) {
            assertImpossible(state, Event.STAGING_FAILED);
        }
    }

    @Test
    void otherMetaDataIsSentFirst() {
        assertStep(AWAITING_TENSOR, Event.PREPARED, AWAITING_RE_REQUEST, Action.SEND_METADATA);
        assertStep(AWAITING_RE_REQUEST, Event.RE_REQUESTED, WRITING, Action.WRITE);
    }

    @Test
    void aSmallTensorThatIsNotExpectedGoesWithItsMetaData() {
        assertStep(AWAITING_TENSOR, Event.PREPARED_SMALL, WRITING, Action.SEND_WITH_METADATA);
    }

    @Test
    void aGiveUpIsConfirmedUnlessTheContentConfirmsIt() {
        assertStep(
                AWAITING_TENSOR, Event.RECEIVER_GAVE_UP, ENDED, Action.WITHDRAW, Action.CONFIRM_GIVE_UP, Action.FORGET);
        assertStep(
                AWAITING_RE_REQUEST,
                Event.RECEIVER_GAVE_UP,
                ENDED,
                Action.RELEASE_CONTENT,
                Action.CONFIRM_GIVE_UP,
                Action.FORGET);
        assertStep(WRITING, Event.RECEIVER_GAVE_UP, WRITING);
    }

    @Test
    void aTensorThatIsReadyAfterTheEndIsReleased() {
        for (Event ready : READY) {
            assertStep(ENDED, ready, ENDED, Action.RELEASE_CONTENT);
        }
    }

    @Test
    void anAbortedStepIsToldToTheReceiver() {
        assertStep(AWAITING_TENSOR, Event.LOCAL_FAILURE, ENDED, Action.SEND_ERROR, Action.FORGET);
    }

    @Test
    void aResponseThatHasNoTensorIsWithdrawnWhenItsChannelIsSuspended() {
        assertStep(AWAITING_TENSOR, Event.CHANNEL_SUSPENDED, PREPARING_DETACHED, Action.TRY_WITHDRAW);
        assertStep(PREPARING_DETACHED, Event.WITHDRAWN, ENDED, Action.FORGET);
    }

    @Test
    void aTensorThatWasTakenIsKeptForTheReplay() {
        assertStep(AWAITING_RE_REQUEST, Event.CHANNEL_SUSPENDED, DETACHED);
        assertStep(WRITING, Event.WRITE_ABANDONED, DETACHED);
        for (Event ready : READY) {
            assertStep(PREPARING_DETACHED, ready, DETACHED);
        }
        assertStep(DETACHED, Event.REPLAYED, AWAITING_TENSOR, Action.ANSWER);
        assertStep(PREPARING_DETACHED, Event.REPLAYED, AWAITING_TENSOR);
    }

    @Test
    void aTensorThatCouldNotBeMadeReadyMeanwhileFailsTheReplay() {
        assertStep(PREPARING_DETACHED, Event.LOCAL_FAILURE, DETACHED_FAILURE);
        assertStep(DETACHED_FAILURE, Event.REPLAYED, ENDED, Action.SEND_ERROR, Action.FORGET);
    }

    @Test
    void aResponseThatIsNotReplayedIsDropped() {
        for (ResponseState state : List.of(DETACHED, PREPARING_DETACHED, DETACHED_FAILURE)) {
            assertStep(state, Event.NOT_REPLAYED, ENDED, Action.RELEASE_CONTENT, Action.FORGET);
            assertStep(state, Event.CHANNEL_LOST, ENDED, Action.RELEASE_CONTENT, Action.FORGET);
        }
    }

    @Test
    void aGiveUpThatALostChannelStillBringsDropsTheTensor() {
        assertStep(DETACHED, Event.RECEIVER_GAVE_UP, ENDED, Action.RELEASE_CONTENT, Action.FORGET);
    }

    @Test
    void aReRequestOutOfTurnOrForOtherMetaDataIsAViolation() {
        for (Event event : List.of(Event.RE_REQUESTED, Event.RE_REQUESTED_OTHERWISE)) {
            assertViolation(AWAITING_TENSOR, event);
            assertViolation(WRITING, event);
            assertViolation(DETACHED, event);
        }
        assertViolation(AWAITING_RE_REQUEST, Event.RE_REQUESTED_OTHERWISE);
    }

    /// The loop allocates nothing.
    @Test
    void aTransitionIsMadeOnce() {
        for (ResponseState state : ResponseState.values()) {
            for (Event event : Event.values()) {
                ResponseState.Step step;
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
