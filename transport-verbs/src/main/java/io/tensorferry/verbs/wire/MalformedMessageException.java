package io.tensorferry.verbs.wire;

import org.jspecify.annotations.Nullable;

/// The bytes of a control message break the protocol: which field, its value, and the rule it breaks.
///
/// The peer is of another version, broken or hostile; nothing of the message may be used.
public final class MalformedMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;
    private final String value;

    /// @param field the field's name as in the protocol's byte table
    /// @param rule what must hold instead
    MalformedMessageException(String field, String value, String rule) {
        this(field, value, rule, null);
    }

    MalformedMessageException(String field, String value, String rule, @Nullable Throwable cause) {
        super("malformed control message: " + field + " is " + value + "; " + rule, cause);
        this.field = field;
        this.value = value;
    }

    /// The field that is wrong, by its name in the protocol's byte table.
    public String field() {
        return field;
    }

    /// What stood there, printed.
    public String value() {
        return value;
    }
}
