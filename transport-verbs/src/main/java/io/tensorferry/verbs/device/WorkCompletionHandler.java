package io.tensorferry.verbs.device;

/// Takes completions while a completion queue is polled.
@FunctionalInterface
public interface WorkCompletionHandler {
    /// @param completion a cursor that is valid only during this call
    void onCompletion(WorkCompletion completion);
}
