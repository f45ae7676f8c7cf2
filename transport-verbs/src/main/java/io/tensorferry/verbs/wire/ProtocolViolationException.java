package io.tensorferry.verbs.wire;

/// Reports a message or immediate of a peer that the protocol does not allow in the current state. The channel to that
/// peer fails.
public final class ProtocolViolationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ProtocolViolationException(String message) {
        super(message);
    }
}
