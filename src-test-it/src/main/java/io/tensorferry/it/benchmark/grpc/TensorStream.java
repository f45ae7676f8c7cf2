package io.tensorferry.it.benchmark.grpc;

import com.google.protobuf.BytesValue;
import com.google.protobuf.Int64Value;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.List;
import java.util.function.Supplier;

/// The producer's end of one call of [TensorService#STREAM]: sends while the connection accepts messages, and resumes
/// when it accepts more. On the call's thread.
final class TensorStream implements StreamObserver<Int64Value> {
    private final ServerCallStreamObserver<BytesValue> answer;
    private final Supplier<List<BytesValue>> chunks;
    private int unanswered;
    private int nextChunk;

    TensorStream(ServerCallStreamObserver<BytesValue> answer, Supplier<List<BytesValue>> chunks) {
        this.answer = answer;
        this.chunks = chunks;
        answer.setOnReadyHandler(this::send);
    }

    private void send() {
        List<BytesValue> tensor = chunks.get();
        while (unanswered > 0 && answer.isReady()) {
            answer.onNext(tensor.get(nextChunk));
            nextChunk++;
            if (nextChunk == tensor.size()) {
                nextChunk = 0;
                unanswered--;
            }
        }
    }

    @Override
    public void onNext(Int64Value request) {
        unanswered++;
        send();
    }

    @Override
    public void onError(Throwable cause) {
        // The consumer is gone.
    }

    @Override
    public void onCompleted() {
        answer.onCompleted();
    }
}
