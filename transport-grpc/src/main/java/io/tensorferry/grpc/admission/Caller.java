package io.tensorferry.grpc.admission;

import io.grpc.Attributes;
import io.grpc.Context;
import java.util.Set;

/// Who is at the other end of a connection, as its certificate says. Immutable.
///
/// @param certificate described, for messages
/// @param workers the peers whose certificate it is; none for a stranger that the same authority knows
public record Caller(String certificate, Set<String> workers) {
    /// Of the connection.
    static final Attributes.Key<Caller> OF_CONNECTION = Attributes.Key.create("io.tensorferry.grpc.caller");
    /// Of the call that a handler serves.
    static final Context.Key<Caller> OF_CALL = Context.key("io.tensorferry.grpc.caller");

    public Caller {
        workers = Set.copyOf(workers);
    }
}
