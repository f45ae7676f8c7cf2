package io.tensorferry.grpc.peer;

import io.grpc.Status;
import io.grpc.netty.shaded.io.netty.handler.ssl.NotSslRecordException;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.WorkerAddress;
import io.tensorferry.grpc.security.tls.DialledWorkerTrust;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/// Classifies and describes failed connections to a worker from gRPC's status of the latest attempt.
final class ConnectFailure {
    private static final int MAX_CAUSES = 16;
    private static final String ALERT = "Received fatal alert: ";

    private ConnectFailure() {}

    /// Returns the failure to report if a retry would fail in the same way: one of the two workers has a wrong
    /// certificate, or no TLS. Null for transient failures.
    static @Nullable TransportException lasting(String worker, WorkerAddress address, Status status) {
        Throwable cause = status.getCause();
        TransportException found = null;
        for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
            TransportException one = lasting(worker, address, cause);
            found = one == null ? found : one;
            cause = cause.getCause();
        }
        return found;
    }

    private static @Nullable TransportException lasting(String worker, WorkerAddress address, Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        return switch (cause) {
            case DialledWorkerTrust.WrongWorkerException _ ->
                failure(
                        StatusCode.PERMISSION_DENIED,
                        "another worker answers at " + address + ": " + message,
                        worker,
                        cause);
            case CertificateException _ ->
                failure(
                        StatusCode.UNAUTHENTICATED,
                        "the certificate of the worker at " + address + " is refused: " + message,
                        worker,
                        cause);
            case NotSslRecordException _ ->
                failure(
                        StatusCode.FAILED_PRECONDITION,
                        "the server at " + address + " does not speak TLS; all workers must",
                        worker,
                        cause);
            case SSLException _
            when message.contains(ALERT) ->
                failure(
                        StatusCode.UNAUTHENTICATED,
                        "the worker at " + address + " refuses this worker's certificate (TLS alert "
                                + message.substring(message.indexOf(ALERT) + ALERT.length())
                                + "); each must trust the authority of the other's certificate",
                        worker,
                        cause);
            default -> null;
        };
    }

    private static TransportException failure(StatusCode code, String why, String worker, Throwable cause) {
        return new TransportException(code, why, worker, 0, cause);
    }

    /// Describes a transient failure for the message of a timeout, as `Connection refused`.
    static String described(Status latest) {
        Throwable cause = latest.getCause();
        for (int i = 0; cause != null && cause.getCause() != null && i < MAX_CAUSES; i++) {
            cause = cause.getCause();
        }
        String why = cause == null ? String.valueOf(latest.getDescription()) : String.valueOf(cause.getMessage());
        // gRPC reports no more than this if the server closes the connection, as a TLS server does to a plaintext
        // client.
        return why.contains("Network closed")
                ? "the server has closed the connection; do all workers have TLS, or none?"
                : why;
    }
}
