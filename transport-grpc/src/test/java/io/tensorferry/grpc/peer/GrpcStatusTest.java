package io.tensorferry.grpc.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(10)
class GrpcStatusTest {
    private static final String PEER = "/job:worker/replica:0/task:1";

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
    void carriesEveryCodeThatAPeerChooses(StatusCode code) {
        var there = GrpcStatus.toGrpc(new TransportException(code, "why"));
        var here = GrpcStatus.fromGrpc("receiving", PEER, there);

        assertThat(here.code()).isEqualTo(code);
        assertThat(here.peer()).isEqualTo(PEER);
        assertThat(here).hasMessage(code + ": receiving: why [peer " + PEER + "]");
    }

    @Test
    void takesACallThatGrpcCancelledForAPeerThatHasGone() {
        var here = GrpcStatus.fromGrpc("receiving", PEER, Status.CANCELLED.asRuntimeException());

        assertThat(here.code()).isEqualTo(StatusCode.UNAVAILABLE);
    }

    @Test
    void shortensWhatTrailersCannotHold() {
        var there = GrpcStatus.toGrpc(StatusCode.ABORTED, "x".repeat(100_000));

        assertThat(there.getStatus().getDescription()).hasSizeLessThan(3000);
    }
}
