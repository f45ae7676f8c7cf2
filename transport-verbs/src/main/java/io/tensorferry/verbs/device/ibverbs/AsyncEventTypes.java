package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.verbs.device.AsyncEvent;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The numbers of `enum ibv_event_type`.
final class AsyncEventTypes {
    private static final Map<Integer, AsyncEvent.Type> BY_NUMBER = Map.ofEntries(
            Map.entry(Ibverbs.IBV_EVENT_CQ_ERR(), AsyncEvent.Type.CQ_ERR),
            Map.entry(Ibverbs.IBV_EVENT_QP_FATAL(), AsyncEvent.Type.QP_FATAL),
            Map.entry(Ibverbs.IBV_EVENT_QP_REQ_ERR(), AsyncEvent.Type.QP_REQ_ERR),
            Map.entry(Ibverbs.IBV_EVENT_QP_ACCESS_ERR(), AsyncEvent.Type.QP_ACCESS_ERR),
            Map.entry(Ibverbs.IBV_EVENT_COMM_EST(), AsyncEvent.Type.COMM_EST),
            Map.entry(Ibverbs.IBV_EVENT_SQ_DRAINED(), AsyncEvent.Type.SQ_DRAINED),
            Map.entry(Ibverbs.IBV_EVENT_PATH_MIG(), AsyncEvent.Type.PATH_MIG),
            Map.entry(Ibverbs.IBV_EVENT_PATH_MIG_ERR(), AsyncEvent.Type.PATH_MIG_ERR),
            Map.entry(Ibverbs.IBV_EVENT_DEVICE_FATAL(), AsyncEvent.Type.DEVICE_FATAL),
            Map.entry(Ibverbs.IBV_EVENT_PORT_ACTIVE(), AsyncEvent.Type.PORT_ACTIVE),
            Map.entry(Ibverbs.IBV_EVENT_PORT_ERR(), AsyncEvent.Type.PORT_ERR),
            Map.entry(Ibverbs.IBV_EVENT_LID_CHANGE(), AsyncEvent.Type.LID_CHANGE),
            Map.entry(Ibverbs.IBV_EVENT_PKEY_CHANGE(), AsyncEvent.Type.PKEY_CHANGE),
            Map.entry(Ibverbs.IBV_EVENT_GID_CHANGE(), AsyncEvent.Type.GID_CHANGE));

    private AsyncEventTypes() {}

    /// @return null for an event that does not concern reliable connections, or is unknown
    static AsyncEvent.@Nullable Type of(int number) {
        return BY_NUMBER.get(number);
    }
}
