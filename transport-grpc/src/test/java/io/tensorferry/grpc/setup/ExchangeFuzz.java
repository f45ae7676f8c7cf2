package io.tensorferry.grpc.setup;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ServerCallStreamObserver;
import io.tensorferry.grpc.admission.Callers;
import io.tensorferry.grpc.admission.Refusals;
import io.tensorferry.proto.ConfirmReadyRequest;
import io.tensorferry.proto.ConfirmReadyResponse;
import io.tensorferry.proto.GetRemoteAddressRequest;
import io.tensorferry.proto.GetRemoteAddressResponse;
import io.tensorferry.verbs.channel.setup.ConnectionParameters;
import io.tensorferry.verbs.link.EndpointAcceptor;
import io.tensorferry.verbs.link.OfferAnswer;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;

/// Any bytes as a call of the exchange: a sound offer or confirmation of a member reaches the adapter, everything
/// else is answered with a status for the caller's fault.
@Timeout(value = 5, unit = TimeUnit.SECONDS)
class ExchangeFuzz {
    private static final String SELF = "/job:worker/replica:0/task:0";
    private static final String PEER = "/job:worker/replica:0/task:1";

    /// @param call the first byte chooses the method, the others are the request
    @FuzzTest
    void anyCallReachesTheAdapterSoundOrIsRefused(byte[] call) {
        if (call.length == 0) {
            return;
        }
        byte[] request = Arrays.copyOfRange(call, 1, call.length);
        var acceptor = new CheckingAcceptor();
        var callers = new Callers(SELF, Set.of(SELF, PEER), null, new Refusals(SELF, System::nanoTime));
        var service = new VerbsServiceImpl(callers, acceptor, Runnable::run);
        try {
            if ((call[0] & 1) == 0) {
                ExchangeFuzz.<GetRemoteAddressResponse>check(
                        acceptor,
                        caller -> service.getRemoteAddress(GetRemoteAddressRequest.parseFrom(request), caller));
            } else {
                ExchangeFuzz.<ConfirmReadyResponse>check(
                        acceptor, caller -> service.confirmReady(ConfirmReadyRequest.parseFrom(request), caller));
            }
        } catch (InvalidProtocolBufferException _) {
            // gRPC answers these itself.
        }
    }

    private interface Call<T> {
        void to(Caller<T> caller) throws InvalidProtocolBufferException;
    }

    private static <T> void check(CheckingAcceptor acceptor, Call<T> call) throws InvalidProtocolBufferException {
        var caller = new Caller<T>();
        call.to(caller);
        assertThat(caller.ends).as("how often the call ended").isEqualTo(1);
        if (caller.failure != null) {
            assertThat(acceptor.reached).isZero();
            assertThat(codeOf(caller.failure)).isIn(Status.Code.INVALID_ARGUMENT, Status.Code.PERMISSION_DENIED);
        } else {
            assertThat(acceptor.reached).isEqualTo(1);
        }
    }

    private static Status.Code codeOf(Throwable failure) {
        assertThat(failure).isInstanceOfAny(StatusException.class, StatusRuntimeException.class);
        return Status.fromThrowable(failure).getCode();
    }

    /// Replaces the adapter: a call that reaches it must be sound, and its answer must be sent back unchanged.
    private static final class CheckingAcceptor implements EndpointAcceptor {
        private int reached;

        @Override
        public CompletableFuture<OfferAnswer> onOffer(ConnectionParameters offer) {
            reached++;
            offer.validate();
            assertThat(offer.hostName()).isEqualTo(PEER);
            assertThat(ConnectionParametersMapping.fromProto(ConnectionParametersMapping.toProto(offer)))
                    .isEqualTo(offer);
            return CompletableFuture.completedFuture(new OfferAnswer.Accepted(offer));
        }

        @Override
        public CompletableFuture<Void> onReady(String peer, long incarnation, long connectionId) {
            reached++;
            assertThat(peer).isEqualTo(PEER);
            return CompletableFuture.completedFuture(null);
        }
    }

    /// The caller's end of a call.
    private static final class Caller<T> extends ServerCallStreamObserver<T> {
        private int ends;
        private @Nullable Throwable failure;

        @Override
        public void onNext(T value) {
            assertThat(ends).isZero();
        }

        @Override
        public void onError(Throwable error) {
            failure = error;
            ends++;
        }

        @Override
        public void onCompleted() {
            ends++;
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public void setCompression(String compression) {}

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {}

        @Override
        public void request(int count) {}

        @Override
        public void setMessageCompression(boolean enable) {}

        @Override
        public void disableAutoInboundFlowControl() {}
    }
}
