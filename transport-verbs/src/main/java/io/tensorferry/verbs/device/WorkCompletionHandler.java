package io.tensorferry.verbs.device;

/// Takes completions while a completion queue is polled.
@FunctionalInterface
public interface WorkCompletionHandler {
    /// @param completion a cursor that is valid only during this call
    void onCompletion(WorkCompletion completion);

    /// Asked before each completion; if not, the poll ends there, and the next one goes on with what was left.
    default boolean wantsMore() {
        return true;
    }
}
