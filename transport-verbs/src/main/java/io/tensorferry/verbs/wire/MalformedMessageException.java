package io.tensorferry.verbs.wire;

import org.jspecify.annotations.Nullable;

/// Reports that the bytes of a control message violate the protocol: the field, its value, and the violated rule.
///
/// The peer has another version, is defective, or is hostile; no part of the message may be used.
public final class MalformedMessageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;
    private final String value;

    /// @param field the field's name as in the protocol's byte table
    /// @param rule the violated rule
    MalformedMessageException(String field, String value, String rule) {
        this(field, value, rule, null);
    }

    MalformedMessageException(String field, String value, String rule, @Nullable Throwable cause) {
        super("malformed control message: " + field + " is " + value + "; " + rule, cause);
        this.field = field;
        this.value = value;
    }

    /// The invalid field, by its name in the protocol's byte table.
    public String field() {
        return field;
    }

    /// The field's value as text.
    public String value() {
        return value;
    }
}
