package io.tensorferry.verbs.device;

/// An asynchronous event of a device (`ibv_get_async_event`).
///
/// @param type the kind of event
/// @param number the number of the queue pair or port concerned; 0 for the whole device
public record AsyncEvent(Type type, int number) {
    public enum Type {
        CQ_ERR,
        QP_FATAL,
        QP_REQ_ERR,
        QP_ACCESS_ERR,
        COMM_EST,
        SQ_DRAINED,
        PATH_MIG,
        PATH_MIG_ERR,
        DEVICE_FATAL,
        PORT_ACTIVE,
        PORT_ERR,
        LID_CHANGE,
        PKEY_CHANGE,
        GID_CHANGE
    }
}
