package io.tensorferry.it.process;

/// A child process ended otherwise than it should, or not in time. The message holds the end of its output.
public final class ChildFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ChildFailedException(String message) {
        super(message);
    }
}
