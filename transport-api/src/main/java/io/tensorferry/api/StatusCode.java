package io.tensorferry.api;

/// gRPC's canonical status codes. Every failure of the transport carries one.
public enum StatusCode {
    OK(0),
    CANCELLED(1),
    UNKNOWN(2),
    INVALID_ARGUMENT(3),
    DEADLINE_EXCEEDED(4),
    NOT_FOUND(5),
    ALREADY_EXISTS(6),
    PERMISSION_DENIED(7),
    RESOURCE_EXHAUSTED(8),
    FAILED_PRECONDITION(9),
    ABORTED(10),
    OUT_OF_RANGE(11),
    UNIMPLEMENTED(12),
    INTERNAL(13),
    UNAVAILABLE(14),
    DATA_LOSS(15),
    UNAUTHENTICATED(16);

    private static final StatusCode[] BY_NUMBER = values();

    private final int number;

    StatusCode(int number) {
        this.number = number;
    }

    /// The number on the wire, 0 to 16, equal to gRPC's.
    public int number() {
        return number;
    }

    /// Returns the code with this number, or [#UNKNOWN] for an undefined number, so that codes of later versions are
    /// accepted.
    public static StatusCode ofNumber(int number) {
        return number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : UNKNOWN;
    }
}
