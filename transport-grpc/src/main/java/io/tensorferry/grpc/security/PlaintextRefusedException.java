package io.tensorferry.grpc.security;

import java.util.List;

/// Thrown if a server without TLS would listen or dial beyond this machine without permission.
public final class PlaintextRefusedException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final transient List<String> waysOut;

    PlaintextRefusedException(String worker, List<String> waysOut) {
        super(worker + " would speak plaintext beyond this machine (" + String.join(", ", waysOut)
                + "); give it certificates by security(...) or " + TransportSecurity.CERTIFICATE + ", "
                + TransportSecurity.KEY + " and " + TransportSecurity.TRUST
                + ", or, inside a network that you trust, allow it by allowInsecure(true) or "
                + PlaintextRule.ALLOW_INSECURE + "=true");
        this.waysOut = List.copyOf(waysOut);
    }

    /// The plaintext connections beyond this machine, as `listens on 10.0.0.1`. For programs that report the remedy in
    /// their own terms.
    public List<String> waysOut() {
        return waysOut;
    }
}
