package io.tensorferry.verbs.simulation;

import io.tensorferry.api.RecvResult;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.rendezvous.RemoteReceive;
import io.tensorferry.verbs.rendezvous.StreamedRequest;
import io.tensorferry.verbs.rendezvous.fallback.FallbackPath;
import io.tensorferry.verbs.rendezvous.fallback.SentRequest;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What gRPC is in production: carries the receives of one worker of a simulated cluster while it has no channel. Each
/// way of each call takes a time of its own, so that calls overtake each other; a call ends when one of its two
/// processes does.
final class SimulatedFallback implements FallbackPath {
    private final SimulatedCluster cluster;
    private final SimulatedCluster.Worker self;
    private final List<Call> open = new ArrayList<>();
    // Those with a result on its way back, in a receive that may have ended.
    private final Set<Call> answered = new LinkedHashSet<>();

    SimulatedFallback(SimulatedCluster cluster, SimulatedCluster.Worker self) {
        this.cluster = cluster;
        this.self = self;
    }

    @Override
    public void start(RemoteReceive receive, @Nullable SentRequest sent, Progress progress) {
        var call = new Call(receive, progress);
        open.add(call);
        receive.onGivenUp(() -> cluster.callLater(self, call::cancel));
        cluster.callLater(self, () -> call.arrive(sent));
    }

    /// What is on its way does not arrive: all processes end.
    void close() {
        for (Call call : List.copyOf(answered)) {
            call.ended = true;
            call.deliver();
        }
    }

    /// The calls to `peer`, whose process is gone.
    void breakCallsTo(String peer) {
        for (Call call : List.copyOf(open)) {
            if (call.receive.peer().equals(peer)) {
                call.fail(unavailable(peer));
            }
        }
    }

    private static TransportException unavailable(String peer) {
        return new TransportException(StatusCode.UNAVAILABLE, "no answer", peer, 0, null);
    }

    private final class Call implements StreamedRequest.Taker {
        private final RemoteReceive receive;
        private final Progress progress;
        private @Nullable StreamedRequest request;
        private boolean cancelled;
        private boolean ended;
        private @Nullable RecvResult answer;

        Call(RemoteReceive receive, Progress progress) {
            this.receive = receive;
            this.progress = progress;
        }

        private void arrive(@Nullable SentRequest sent) {
            SimulatedCluster.Worker target = cluster.livingWorker(receive.peer());
            if (ended || cancelled) {
                return;
            }
            if (target == null || cluster.fallbackIsCut()) {
                fail(unavailable(receive.peer()));
                return;
            }
            try {
                StreamedRequest opened = target.manager.serve(
                        self.name, self.adapter.incarnation(), receive.stepId(), receive.key(), sent);
                request = opened;
                opened.take(this);
            } catch (TransportException e) {
                fail(e);
            }
        }

        @Override
        public void onTaken() {
            cluster.callLater(self, progress::onTaken);
        }

        @Override
        public void done(RecvResult result) {
            if (cancelled) {
                drop(result);
                endRequest();
                return;
            }
            answer = result;
            answered.add(this);
            cluster.callLater(self, this::deliver);
        }

        private void deliver() {
            RecvResult result = answer;
            if (result == null) {
                return;
            }
            answer = null;
            answered.remove(this);
            endRequest();
            if (ended) {
                drop(result);
                return;
            }
            if (result instanceof RecvResult.Received(Tensor tensor)) {
                Tensor copy = self.adapter.memory().allocator().allocate(tensor.dataType(), tensor.shape());
                copy.segment().copyFrom(tensor.segment());
                tensor.close();
                end(new RecvResult.Received(copy));
            } else {
                end(result);
            }
        }

        private void cancel() {
            cancelled = true;
            StreamedRequest waiting = request;
            if (!ended && (waiting == null || waiting.giveUp())) {
                endRequest();
            }
            end(new RecvResult.Failed(new TransportException(StatusCode.CANCELLED, "cancelled")));
        }

        private void fail(TransportException cause) {
            end(new RecvResult.Failed(cause));
        }

        private void end(RecvResult result) {
            if (!ended) {
                ended = true;
                open.remove(this);
                receive.complete(result);
                progress.onEnded();
            }
        }

        private void endRequest() {
            StreamedRequest waiting = request;
            if (waiting != null) {
                request = null;
                waiting.end();
            }
        }

        private static void drop(RecvResult result) {
            if (result instanceof RecvResult.Received(Tensor tensor)) {
                tensor.close();
            }
        }
    }
}
