"""Status codes (docs/protocol.md, section 17), those that this worker gives or expects."""

CANCELLED, UNKNOWN, INVALID_ARGUMENT, FAILED_PRECONDITION, ABORTED = 1, 2, 3, 9, 10
INTERNAL, UNAVAILABLE, DATA_LOSS, LAST = 13, 14, 15, 16
