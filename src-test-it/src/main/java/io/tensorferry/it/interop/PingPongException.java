package io.tensorferry.it.interop;

/// A game that could not be played to its end, or a message that was wrong.
public final class PingPongException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PingPongException(String message) {
        super(message);
    }
}
