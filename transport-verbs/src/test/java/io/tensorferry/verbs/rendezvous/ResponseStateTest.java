package io.tensorferry.verbs.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TensorMetaData;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.ResponseState.Action;
import io.tensorferry.verbs.rendezvous.ResponseState.AwaitingReRequest;
import io.tensorferry.verbs.rendezvous.ResponseState.AwaitingTensor;
import io.tensorferry.verbs.rendezvous.ResponseState.Detached;
import io.tensorferry.verbs.rendezvous.ResponseState.DetachedFailure;
import io.tensorferry.verbs.rendezvous.ResponseState.Ended;
import io.tensorferry.verbs.rendezvous.ResponseState.Event;
import io.tensorferry.verbs.rendezvous.ResponseState.HandingOver;
import io.tensorferry.verbs.rendezvous.ResponseState.Writing;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResponseStateTest {
    private static final TensorMetaData SMALL = TensorMetaData.of(DataType.FLOAT, Shape.of(2));
    private static final TensorMetaData LARGE = TensorMetaData.of(DataType.FLOAT, Shape.of(2000));
    private final TransportException why = new TransportException(StatusCode.ABORTED, "aborted");

    private static void assertStep(ResponseState from, Event event, ResponseState to, Action... actions) {
        var step = ResponseState.step(from, event);
        assertThat(step.next()).isEqualTo(to);
        assertThat(step.actions()).containsExactly(actions);
    }

    @Test
    void aKeptTensorIsHandedOverWhenItIsClaimedAndReady() {
        assertStep(new Detached(SMALL), new Event.Claimed(), new Ended(), new Action.HandOver(), new Action.Forget());
        assertStep(new Detached(null), new Event.Claimed(), new HandingOver());
        assertStep(
                new HandingOver(),
                new Event.Prepared(SMALL, false, false),
                new Ended(),
                new Action.HandOver(),
                new Action.Forget());
        assertStep(
                new HandingOver(),
                new Event.LocalFailure(why),
                new Ended(),
                new Action.FailClaim(why),
                new Action.Forget());
        assertStep(
                new DetachedFailure(why),
                new Event.Claimed(),
                new Ended(),
                new Action.FailClaim(why),
                new Action.Forget());
    }

    @Test
    void whatWasClaimedIsNoBusinessOfChannelsAnyMore() {
        for (Event event : List.of(new Event.NotReplayed(), new Event.ChannelSuspended(), new Event.ChannelLost())) {
            assertStep(new HandingOver(), event, new HandingOver());
        }
        assertThatThrownBy(() -> ResponseState.step(new HandingOver(), new Event.Replayed(SMALL, false, false)))
                .isInstanceOf(ProtocolViolationException.class);
        assertThatThrownBy(() -> ResponseState.step(new HandingOver(), new Event.Claimed()))
                .isInstanceOf(ProtocolViolationException.class);
    }

    @Test
    void whatGoesOnOnAnOpenChannelCannotBeClaimed() {
        for (ResponseState state :
                List.of(new AwaitingTensor(SMALL), new AwaitingReRequest(SMALL), new Writing(SMALL))) {
            assertThatThrownBy(() -> ResponseState.step(state, new Event.Claimed()))
                    .isInstanceOf(ProtocolViolationException.class);
        }
    }

    @Test
    void aTensorAsExpectedIsWrittenAtOnce() {
        assertStep(
                new AwaitingTensor(SMALL),
                new Event.Prepared(SMALL, false, false),
                new Writing(SMALL),
                new Action.Write());
        assertStep(
                new Writing(SMALL), new Event.Written(), new Ended(), new Action.ReleaseContent(), new Action.Forget());
    }

    @Test
    void aContentThatCannotBeCopiedEndsWithAnErrorThatFreesTheReceiversMemory() {
        assertStep(
                new Writing(LARGE),
                new Event.StagingFailed(why),
                new Ended(),
                new Action.SendError(why),
                new Action.ReleaseContent(),
                new Action.Forget());
        assertStep(new Writing(LARGE), new Event.ReceiverGaveUp(), new Writing(LARGE));
        assertStep(new Ended(), new Event.StagingFailed(why), new Ended());
    }

    @Test
    void aContentInPiecesThatIsGivenUpIsConfirmedWhenNothingOfItIsUnderWay() {
        assertStep(
                new Writing(LARGE),
                new Event.PiecesStopped(),
                new Ended(),
                new Action.ReleaseContent(),
                new Action.ConfirmGiveUp(),
                new Action.Forget());
        assertStep(new Ended(), new Event.PiecesStopped(), new Ended());
        for (ResponseState state :
                List.of(new AwaitingTensor(null), new AwaitingReRequest(LARGE), new Detached(LARGE))) {
            assertThatThrownBy(() -> ResponseState.step(state, new Event.PiecesStopped()))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void nothingIsCopiedBeforeTheReceiverHasNamedMemoryOrWhenItsChannelIsLost() {
        for (ResponseState state : List.of(
                new AwaitingTensor(null),
                new AwaitingReRequest(LARGE),
                new Detached(LARGE),
                new DetachedFailure(why),
                new HandingOver())) {
            assertThatThrownBy(() -> ResponseState.step(state, new Event.StagingFailed(why)))
                    .isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void anotherShapeOrNoTargetOrAChecksumSendsTheMetaDataFirst() {
        assertStep(
                new AwaitingTensor(SMALL),
                new Event.Prepared(LARGE, false, false),
                new AwaitingReRequest(LARGE),
                new Action.SendMetaData());
        assertStep(
                new AwaitingTensor(null),
                new Event.Prepared(SMALL, false, false),
                new AwaitingReRequest(SMALL),
                new Action.SendMetaData());
        assertStep(
                new AwaitingTensor(SMALL),
                new Event.Prepared(SMALL, true, false),
                new AwaitingReRequest(SMALL),
                new Action.SendMetaData());
        assertStep(new AwaitingReRequest(SMALL), new Event.ReRequested(SMALL), new Writing(SMALL), new Action.Write());
    }

    @Test
    void aSmallTensorThatIsNotExpectedGoesWithItsMetaData() {
        for (boolean announce : new boolean[] {false, true}) {
            assertStep(
                    new AwaitingTensor(null),
                    new Event.Prepared(SMALL, announce, true),
                    new Writing(SMALL),
                    new Action.SendWithMetaData());
            assertStep(
                    new Detached(SMALL),
                    new Event.Replayed(LARGE, announce, true),
                    new Writing(SMALL),
                    new Action.SendWithMetaData());
        }
        assertStep(
                new AwaitingTensor(SMALL),
                new Event.Prepared(SMALL, true, true),
                new Writing(SMALL),
                new Action.SendWithMetaData());
        assertStep(
                new AwaitingTensor(SMALL),
                new Event.Prepared(SMALL, false, true),
                new Writing(SMALL),
                new Action.Write());
    }

    @Test
    void aGiveUpIsConfirmedUnlessTheContentDoesSo() {
        assertStep(
                new AwaitingTensor(null),
                new Event.ReceiverGaveUp(),
                new Ended(),
                new Action.Withdraw(),
                new Action.ConfirmGiveUp(),
                new Action.Forget());
        assertStep(
                new AwaitingReRequest(SMALL),
                new Event.ReceiverGaveUp(),
                new Ended(),
                new Action.ReleaseContent(),
                new Action.ConfirmGiveUp(),
                new Action.Forget());
        assertStep(new Writing(SMALL), new Event.ReceiverGaveUp(), new Writing(SMALL));
    }

    @Test
    void aTensorThatIsReadyAfterTheEndIsReleased() {
        assertStep(new Ended(), new Event.Prepared(SMALL, false, false), new Ended(), new Action.ReleaseContent());
    }

    @Test
    void anAbortedStepIsToldToTheReceiver() {
        assertStep(
                new AwaitingTensor(null),
                new Event.LocalFailure(why),
                new Ended(),
                new Action.SendError(why),
                new Action.Forget());
    }

    @Test
    void aResponseThatHasNoTensorIsWithdrawnWhenItsChannelIsSuspended() {
        assertStep(
                new AwaitingTensor(SMALL), new Event.ChannelSuspended(), new Detached(null), new Action.TryWithdraw());
        assertStep(new Detached(null), new Event.Withdrawn(), new Ended(), new Action.Forget());
    }

    @Test
    void aTensorThatWasTakenIsKeptForTheReplay() {
        assertStep(new AwaitingReRequest(SMALL), new Event.ChannelSuspended(), new Detached(SMALL));
        assertStep(new Writing(SMALL), new Event.WriteAbandoned(), new Detached(SMALL));
        assertStep(new Detached(null), new Event.Prepared(SMALL, false, false), new Detached(SMALL));
        assertStep(
                new Detached(SMALL), new Event.Replayed(SMALL, false, false), new Writing(SMALL), new Action.Write());
        assertStep(
                new Detached(SMALL),
                new Event.Replayed(SMALL, true, false),
                new AwaitingReRequest(SMALL),
                new Action.SendMetaData());
        assertStep(new Detached(null), new Event.Replayed(SMALL, false, false), new AwaitingTensor(SMALL));
    }

    @Test
    void aTensorThatCouldNotBeMadeReadyMeanwhileFailsTheReplay() {
        assertStep(new Detached(null), new Event.LocalFailure(why), new DetachedFailure(why));
        assertStep(
                new DetachedFailure(why),
                new Event.Replayed(null, false, false),
                new Ended(),
                new Action.SendError(why),
                new Action.Forget());
    }

    @Test
    void whatIsNotAskedAgainIsDropped() {
        for (ResponseState state : List.of(new Detached(SMALL), new Detached(null), new DetachedFailure(why))) {
            assertStep(state, new Event.NotReplayed(), new Ended(), new Action.ReleaseContent(), new Action.Forget());
            assertStep(state, new Event.ChannelLost(), new Ended(), new Action.ReleaseContent(), new Action.Forget());
        }
    }

    @Test
    void aGiveUpThatALostChannelStillBringsDropsTheTensor() {
        assertStep(
                new Detached(SMALL),
                new Event.ReceiverGaveUp(),
                new Ended(),
                new Action.ReleaseContent(),
                new Action.Forget());
    }

    @Test
    void aReplayOfWhatWasNotLostIsAViolation() {
        for (ResponseState state :
                List.of(new AwaitingTensor(null), new AwaitingReRequest(SMALL), new Writing(SMALL))) {
            assertThatThrownBy(() -> ResponseState.step(state, new Event.Replayed(SMALL, false, false)))
                    .isInstanceOf(ProtocolViolationException.class);
        }
    }

    @Test
    void aReRequestOutOfTurnOrForOtherMetaDataIsAViolation() {
        assertThatThrownBy(() -> ResponseState.step(new AwaitingTensor(null), new Event.ReRequested(SMALL)))
                .isInstanceOf(ProtocolViolationException.class);
        assertThatThrownBy(() -> ResponseState.step(new Writing(SMALL), new Event.ReRequested(SMALL)))
                .isInstanceOf(ProtocolViolationException.class);
        assertThatThrownBy(() -> ResponseState.step(new AwaitingReRequest(LARGE), new Event.ReRequested(SMALL)))
                .isInstanceOf(ProtocolViolationException.class);
    }
}
