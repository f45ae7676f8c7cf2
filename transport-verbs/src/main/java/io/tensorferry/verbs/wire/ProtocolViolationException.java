package io.tensorferry.verbs.wire;

/// A peer said something that the protocol does not allow in this state. The channel to it fails.
public final class ProtocolViolationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ProtocolViolationException(String message) {
        super(message);
    }
}
