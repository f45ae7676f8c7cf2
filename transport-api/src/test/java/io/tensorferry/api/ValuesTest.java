package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ValuesTest {
    @Test
    void statusCodesHaveTheNumbersOfGrpc() {
        for (int number = 0; number <= 16; number++) {
            assertThat(StatusCode.ofNumber(number).number()).isEqualTo(number);
        }
        assertThat(StatusCode.ofNumber(14)).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(StatusCode.ofNumber(17)).isEqualTo(StatusCode.UNKNOWN);
        assertThat(StatusCode.ofNumber(-1)).isEqualTo(StatusCode.UNKNOWN);
    }

    @Test
    void aTransportExceptionTellsCodePeerAndErrno() {
        var cause = new IllegalStateException();
        var exception = new TransportException(StatusCode.UNAVAILABLE, "gone", "/job:ps/replica:0/task:0", 110, cause);
        assertThat(exception)
                .hasMessage("UNAVAILABLE: gone [peer /job:ps/replica:0/task:0] [errno 110]")
                .hasCause(cause)
                .returns("/job:ps/replica:0/task:0", TransportException::peer)
                .returns(110, TransportException::errno);
        assertThat(new TransportException(StatusCode.ABORTED, "over"))
                .hasMessage("ABORTED: over")
                .returns(null, TransportException::peer);
    }

    @Test
    void metaDataThatContradictsItselfIsRefused() {
        Shape shape = Shape.of(2, 3);
        assertThat(TensorMetaData.of(DataType.HALF, shape))
                .isEqualTo(new TensorMetaData(DataType.HALF, shape, false, 12));
        assertThat(new TensorMetaData(DataType.STRING, shape, false, 77).byteSize())
                .isEqualTo(77);
        assertThat(TensorMetaData.ofDead().dead()).isTrue();
        assertThat(TensorMetaData.ofDead().byteSize()).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> TensorMetaData.of(DataType.STRING, shape));
        assertThatIllegalArgumentException().isThrownBy(() -> new TensorMetaData(DataType.HALF, shape, false, 13));
        assertThatIllegalArgumentException().isThrownBy(() -> new TensorMetaData(DataType.HALF, shape, true, 12));
        assertThatIllegalArgumentException().isThrownBy(() -> new TensorMetaData(DataType.STRING, shape, false, -1));
    }

    @Test
    void aFailedResultThrowsItsCause() {
        var cause = new TransportException(StatusCode.DATA_LOSS, "bits");
        assertThatThrownBy(() -> new RecvResult.Failed(cause).tensorOrThrow()).isSameAs(cause);
    }
}
