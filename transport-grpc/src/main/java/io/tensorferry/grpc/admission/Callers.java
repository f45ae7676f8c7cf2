package io.tensorferry.grpc.admission;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.security.CertificateNames;
import io.tensorferry.grpc.security.PeerIdentity;
import java.security.cert.X509Certificate;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Decides which callers this worker serves, and under which name.
///
/// Threading: any thread.
public final class Callers {
    private static final int MOST_MEMBERS_NAMED = 16;

    private final String workerName;
    private final Set<String> members;
    private final @Nullable PeerIdentity identity;
    private final Refusals refusals;

    /// @param members the workers of the cluster; may include this worker
    /// @param identity null if callers present no certificate
    public Callers(String workerName, Set<String> members, @Nullable PeerIdentity identity, Refusals refusals) {
        this.workerName = workerName;
        this.members = Set.copyOf(members);
        this.identity = identity;
        this.refusals = refusals;
    }

    /// Identifies the workers that a trusted certificate belongs to.
    Caller identify(X509Certificate certificate) {
        PeerIdentity known = identity;
        Set<String> workers = known == null
                ? Set.of()
                : members.stream()
                        .filter(member -> known.isOf(certificate, member))
                        .collect(Collectors.toUnmodifiableSet());
        return new Caller(CertificateNames.described(certificate), workers);
    }

    /// Checks, within the handler of a call, that the caller is the peer whose name it claims. Refusals are counted,
    /// and logged at a limited rate.
    ///
    /// @throws TransportException `UNAUTHENTICATED` without a certificate; `PERMISSION_DENIED` if the claimed name is
    ///     not a peer's, or the certificate belongs to another worker
    public void require(String claimed) {
        try {
            check(claimed, Caller.OF_CALL.get());
        } catch (TransportException e) {
            refusals.call(String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private void check(String claimed, @Nullable Caller caller) {
        if (identity != null && caller == null) {
            throw new TransportException(
                    StatusCode.UNAUTHENTICATED, workerName + " serves only callers that show their certificate");
        }
        if (claimed.equals(workerName)) {
            throw denied("the caller names itself " + claimed + ", which is this worker");
        }
        if (!members.contains(claimed)) {
            throw denied(
                    "'" + claimed + "' is not a peer of " + workerName + "; its cluster has " + describedMembers());
        }
        if (identity != null && caller != null && !caller.workers().contains(claimed)) {
            throw denied(
                    "the caller names itself " + claimed + ", but its certificate is that of " + caller.certificate());
        }
    }

    private static TransportException denied(String why) {
        return new TransportException(StatusCode.PERMISSION_DENIED, why);
    }

    private String describedMembers() {
        return members.size() > MOST_MEMBERS_NAMED ? members.size() + " workers" : members.toString();
    }
}
