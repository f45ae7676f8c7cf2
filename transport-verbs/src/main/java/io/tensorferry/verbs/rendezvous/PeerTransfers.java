package io.tensorferry.verbs.rendezvous;

import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.channel.RdmaChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The transfers between this worker and one peer: the requests of this worker, which outlive a channel's set-up,
/// and the responses to the peer's, which belong to the channel that they came on.
///
/// Owner: the loop; any thread may add to [#requests()] and count.
final class PeerTransfers {
    private final RequestTable<TensorRequest> requests = new RequestTable<>();
    private final Map<Integer, TensorResponse> responses = new ConcurrentHashMap<>();

    RequestTable<TensorRequest> requests() {
        return requests;
    }

    /// Adds a response under an index that has none.
    void add(int requestIndex, TensorResponse response) {
        responses.put(requestIndex, response);
    }

    @Nullable
    TensorResponse response(int requestIndex) {
        return responses.get(requestIndex);
    }

    void forget(int requestIndex, TensorResponse response) {
        responses.remove(requestIndex, response);
    }

    int responseCount() {
        return responses.size();
    }

    /// Ends everything that went over `channel`.
    void onChannelLost(RdmaChannel channel, TransportException cause) {
        for (TensorResponse response : List.copyOf(responses.values())) {
            response.on(new ResponseState.Event.ChannelLost());
        }
        for (TensorRequest request : requests.all()) {
            if (request.usesChannel(channel)) {
                request.on(new RequestState.Event.ChannelLost(cause));
            }
        }
    }
}
