package io.tensorferry.grpc.admission;

import io.grpc.Attributes;
import io.grpc.Context;
import java.util.Set;

/// The other end of a connection, identified by its certificate. Immutable.
///
/// @param certificate a description of the certificate, for messages
/// @param workers the peers that the certificate belongs to; empty for a stranger with a certificate of the same
///     authority
public record Caller(String certificate, Set<String> workers) {
    /// The connection's attribute.
    static final Attributes.Key<Caller> OF_CONNECTION = Attributes.Key.create("io.tensorferry.grpc.caller");
    /// The context value of the call that a handler serves.
    static final Context.Key<Caller> OF_CALL = Context.key("io.tensorferry.grpc.caller");

    public Caller {
        workers = Set.copyOf(workers);
    }
}
