package io.tensorferry.verbs.device;

/// Receives completions while a completion queue is polled.
@FunctionalInterface
public interface WorkCompletionHandler {
    /// @param completion a cursor that is valid only during this call
    void onCompletion(WorkCompletion completion);

    /// Checked before each completion. If false, the poll ends, and the next poll continues with the remaining
    /// completions.
    default boolean wantsMore() {
        return true;
    }
}
