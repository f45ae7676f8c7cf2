package io.tensorferry.it.interop;

/// Thrown when a game cannot be completed, or a message is wrong.
public final class PingPongException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PingPongException(String message) {
        super(message);
    }
}
