package io.tensorferry.it.process;

/// Thrown when a child process fails or does not end in time. The message includes the end of its output.
public final class ChildFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ChildFailedException(String message) {
        super(message);
    }
}
