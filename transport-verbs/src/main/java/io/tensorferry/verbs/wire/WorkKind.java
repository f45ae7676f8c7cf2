package io.tensorferry.verbs.wire;

import org.jspecify.annotations.Nullable;

/// The purpose of a posted work request.
public enum WorkKind {
    /// A write of a control message into the peer's message ring.
    CONTROL_MESSAGE(1),
    /// A write that returns credits.
    ACKNOWLEDGEMENT(2),
    /// A write of a tensor's content, or of its last part; with the immediate, unless the write is silent.
    CONTENT(3),
    /// A posted receive, which takes one immediate.
    RECEIVE(4),
    /// A write of a part of a tensor's content that is not the last.
    CHUNK(5),
    /// The binding of a memory window.
    BIND(6),
    /// The invalidation of a memory window.
    INVALIDATE(7),
    /// An empty write that only checks whether the peer's queue pair exists.
    PROBE(8),
    /// A read of the peer's memory.
    READ(9);

    private static final WorkKind[] BY_CODE = new WorkKind[10];

    static {
        for (WorkKind kind : values()) {
            BY_CODE[kind.code] = kind;
        }
    }

    private final int code;

    WorkKind(int code) {
        this.code = code;
    }

    /// The code in a work id, 1 to 9.
    int code() {
        return code;
    }

    /// The kind with this code, or null.
    static @Nullable WorkKind ofCode(int code) {
        return code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
