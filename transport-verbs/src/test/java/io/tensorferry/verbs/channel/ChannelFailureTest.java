package io.tensorferry.verbs.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.ChannelFailure.Recovery;
import io.tensorferry.verbs.channel.ChannelFailure.Scope;
import io.tensorferry.verbs.device.AsyncEvent;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.wire.MalformedMessageException;
import io.tensorferry.verbs.wire.MessageCodec;
import io.tensorferry.verbs.wire.ProtocolViolationException;
import io.tensorferry.verbs.wire.WorkKind;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The result of each failure of a channel: the rows of the table in docs/reliability.md.
class ChannelFailureTest {
    private static final String PEER = "/job:worker/replica:0/task:1";
    /// Receives fail after these: the peer broke a rule, or this end made a mistake that it would repeat.
    private static final Set<WorkStatus> HOPELESS = EnumSet.of(
            WorkStatus.REM_INV_REQ_ERR,
            WorkStatus.LOC_LEN_ERR,
            WorkStatus.LOC_ACCESS_ERR,
            WorkStatus.LOC_PROT_ERR,
            WorkStatus.LOC_QP_OP_ERR,
            WorkStatus.MW_BIND_ERR,
            WorkStatus.LOC_EEC_OP_ERR,
            WorkStatus.LOC_RDD_VIOL_ERR,
            WorkStatus.REM_INV_RD_REQ_ERR,
            WorkStatus.INV_EECN_ERR,
            WorkStatus.INV_EEC_STATE_ERR);

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SUCCESS")
    void everyCompletionThatIsNoSuccessHasAStatus(WorkStatus status) {
        for (WorkKind kind : WorkKind.values()) {
            ChannelFailure failure = ChannelFailure.ofCompletion(PEER, kind, status, 0x81);
            TransportException cause = failure.cause();
            boolean hopeless = HOPELESS.contains(status);
            assertThat(cause.code()).isEqualTo(hopeless ? StatusCode.INTERNAL : StatusCode.UNAVAILABLE);
            assertThat(failure.recovery()).isEqualTo(hopeless ? Recovery.FAIL : reconnect(status));
            assertThat(failure.reconnectHelps()).isEqualTo(!hopeless);
            assertThat(cause.peer()).isEqualTo(PEER);
            assertThat(cause.verbsStatus()).isEqualTo(status + ", vendor error 0x81");
            assertThat(cause).hasMessageContaining(kind.name()).hasMessageContaining("[verbs " + status);
        }
    }

    private static Recovery reconnect(WorkStatus status) {
        return status == WorkStatus.REM_ACCESS_ERR ? Recovery.RECONNECT_ONCE : Recovery.RECONNECT;
    }

    @Test
    void aProcessDiesOnlyOnce() {
        var death = new SuspectedDeath();
        ChannelFailure refused = ChannelFailure.ofCompletion(PEER, WorkKind.CONTENT, WorkStatus.REM_ACCESS_ERR, 0x81);
        ChannelFailure silent = ChannelFailure.ofCompletion(PEER, WorkKind.CONTENT, WorkStatus.RETRY_EXC_ERR, 0);
        assertThat(death.judge(refused, 1)).isSameAs(refused);
        assertThat(death.judge(refused, 2)).as("another life").isSameAs(refused);
        assertThat(death.judge(silent, 2)).isSameAs(silent);
        ChannelFailure again = death.judge(refused, 2);
        assertThat(again.reconnectHelps()).isFalse();
        assertThat(again.cause().code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(again.cause().verbsStatus()).isEqualTo("REM_ACCESS_ERR, vendor error 0x81");
        assertThat(again.cause()).hasMessageContaining("earlier").hasCause(refused.cause());
        assertThat(death.judge(refused, 3)).isSameAs(refused);
    }

    @Test
    void aSuccessIsNoFailure() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ChannelFailure.ofCompletion(PEER, WorkKind.CONTENT, WorkStatus.SUCCESS, 0));
    }

    @Test
    void withoutAVendorErrorNoneIsSaid() {
        assertThat(ChannelFailure.ofCompletion(PEER, WorkKind.CHUNK, WorkStatus.RETRY_EXC_ERR, 0)
                        .cause()
                        .verbsStatus())
                .isEqualTo("RETRY_EXC_ERR");
    }

    @ParameterizedTest
    @CsvSource({
        "QP_FATAL, QUEUE_PAIR, UNAVAILABLE, RECONNECT",
        "PATH_MIG_ERR, QUEUE_PAIR, UNAVAILABLE, RECONNECT",
        "QP_REQ_ERR, QUEUE_PAIR, INTERNAL, FAIL",
        "QP_ACCESS_ERR, QUEUE_PAIR, INTERNAL, FAIL",
        "CQ_ERR, COMPLETION_QUEUE, UNAVAILABLE, RECONNECT",
        "PORT_ERR, PORT, UNAVAILABLE, RECONNECT_WHEN_PORT_IS_ACTIVE",
        "PORT_ACTIVE, PORT, UNAVAILABLE, RECONNECT",
        "LID_CHANGE, ADDRESS, UNAVAILABLE, RECONNECT",
        "PKEY_CHANGE, ADDRESS, UNAVAILABLE, RECONNECT",
        "GID_CHANGE, ADDRESS, UNAVAILABLE, RECONNECT",
        "DEVICE_FATAL, DEVICE, UNAVAILABLE, NEVER"
    })
    void everyEventThatEndsChannelsHasAStatus(AsyncEvent.Type type, Scope scope, StatusCode code, Recovery recovery) {
        assertThat(ChannelFailure.scopeOf(type)).isEqualTo(scope);
        ChannelFailure failure = ChannelFailure.ofEvent(type, "soft0", PEER);
        assertThat(failure.cause().code()).isEqualTo(code);
        assertThat(failure.recovery()).isEqualTo(recovery);
        assertThat(failure.cause().peer()).isEqualTo(PEER);
        assertThat(failure.cause().verbsStatus()).isEqualTo(type.name());
    }

    @ParameterizedTest
    @EnumSource(names = {"COMM_EST", "SQ_DRAINED", "PATH_MIG"})
    void theOtherEventsEndNoChannel(AsyncEvent.Type type) {
        assertThat(ChannelFailure.scopeOf(type)).isEqualTo(Scope.NOTHING);
        assertThatIllegalArgumentException().isThrownBy(() -> ChannelFailure.ofEvent(type, "soft0", PEER));
    }

    @Test
    void aPeerThatBreaksTheProtocolIsNotAskedAgain() {
        ChannelFailure violation = ChannelFailure.ofViolation(PEER, new ProtocolViolationException("twice"));
        ChannelFailure malformed = ChannelFailure.ofMalformedMessage(PEER, zeros());
        for (ChannelFailure failure : new ChannelFailure[] {violation, malformed}) {
            assertThat(failure.cause().code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(failure.cause().peer()).isEqualTo(PEER);
            assertThat(failure.cause().getCause()).isNotNull();
            assertThat(failure.reconnectHelps()).isFalse();
        }
        assertThat(violation.cause()).hasMessageContaining("twice");
        assertThat(malformed.cause()).hasMessageContaining("length is 0");
    }

    private static MalformedMessageException zeros() {
        return catchThrowableOfType(
                MalformedMessageException.class, () -> MessageCodec.decode(MemorySegment.ofArray(new byte[4096])));
    }

    @Test
    void aRefusedCallKeepsItsErrorNumber() {
        var refusal = new VerbsException("ibv_post_send", VerbsException.EIO, "broken");
        ChannelFailure posted = ChannelFailure.ofRefusedCall(PEER, refusal);
        assertThat(posted.cause().code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(posted.cause().errno()).isEqualTo(VerbsException.EIO);
        assertThat(posted.cause().getCause()).isSameAs(refusal);
        assertThat(posted.reconnectHelps()).isTrue();
        ChannelFailure polled = ChannelFailure.ofCompletionQueue(PEER, refusal);
        assertThat(polled.cause().code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(polled.cause().verbsStatus()).isEqualTo("CQ_ERR");
        assertThat(polled.reconnectHelps()).isTrue();
    }

    @Test
    void aMistakeOfOursIsNotMadeAgain() {
        var mistake = new IllegalStateException("impossible");
        ChannelFailure failure = ChannelFailure.ofMistake(PEER, mistake);
        assertThat(failure.cause().code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(failure.cause().getCause()).isSameAs(mistake);
        assertThat(failure.reconnectHelps()).isFalse();
    }

    @Test
    void whatSaysMoreThanThatWorkWasFlushedTakesItsPlace() {
        ChannelFailure flushed = ChannelFailure.ofCompletion(PEER, WorkKind.RECEIVE, WorkStatus.WR_FLUSH_ERR, 0x5);
        ChannelFailure retries = ChannelFailure.ofCompletion(PEER, WorkKind.CONTENT, WorkStatus.RETRY_EXC_ERR, 0);
        ChannelFailure access = ChannelFailure.ofCompletion(PEER, WorkKind.CONTENT, WorkStatus.REM_ACCESS_ERR, 0);
        assertThat(flushed.orBetter(access)).isSameAs(access);
        assertThat(access.orBetter(flushed)).isSameAs(access);
        assertThat(retries.orBetter(access)).isSameAs(retries);
        assertThat(flushed.orBetter(flushed)).isSameAs(flushed);
    }
}
