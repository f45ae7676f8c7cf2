package io.tensorferry.grpc.admission;

import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.ServerTransportFilter;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Identifies the other end of each connection once, and passes the result to the handlers of its calls.
///
/// Threading: gRPC's threads.
public final class CallerFilter extends ServerTransportFilter implements ServerInterceptor {
    private static final Logger LOG = LoggerFactory.getLogger(CallerFilter.class);

    private final Callers callers;
    private final Connections connections;

    public CallerFilter(Callers callers, Connections connections) {
        this.callers = callers;
        this.connections = connections;
    }

    @Override
    public Attributes transportReady(Attributes connection) {
        SSLSession session = connection.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        if (session == null) {
            return connection;
        }
        try {
            var certificate = (X509Certificate) session.getPeerCertificates()[0];
            // The chain of a resumed session was verified when the session began, so the validity is checked again.
            certificate.checkValidity();
            Caller caller = callers.identify(certificate);
            connections.prove(connection.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR), caller.workers());
            return connection.toBuilder().set(Caller.OF_CONNECTION, caller).build();
        } catch (SSLPeerUnverifiedException | CertificateException | RuntimeException e) {
            // Without a Caller in the attributes, every call of this connection is refused.
            LOG.debug("a caller without a valid certificate: {}", e.toString());
            return connection;
        }
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        Caller caller = call.getAttributes().get(Caller.OF_CONNECTION);
        return caller == null
                ? next.startCall(call, headers)
                : Contexts.interceptCall(Context.current().withValue(Caller.OF_CALL, caller), call, headers, next);
    }
}
