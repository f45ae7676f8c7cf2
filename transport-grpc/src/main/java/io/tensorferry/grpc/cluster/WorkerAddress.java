package io.tensorferry.grpc.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.regex.Pattern;

/// The address of a worker's server, `host:port`. Immutable.
///
/// @param host a host name, an IPv4 address, or an IPv6 address without brackets
/// @param port 1 to 65,535
public record WorkerAddress(String host, int port) {
    private static final Pattern FORM = Pattern.compile("(?:\\[([0-9A-Fa-f:.%a-z]+)]|([^:/\\s\\[\\]]+)):(\\d{1,9})");

    /// Parses an address.
    ///
    /// @param text as `localhost:2222`, `10.0.0.1:2222` or `[::1]:2222`
    /// @param field the owner of the address, for the error message
    /// @throws IllegalArgumentException if `text` is not `host:port` with a port from 1 to 65,535
    public static WorkerAddress parse(String text, String field) {
        var matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("address '" + text + "' of " + field
                    + " must be host:port, as localhost:2222, 10.0.0.1:2222 or [::1]:2222");
        }
        int port = Integer.parseInt(matcher.group(3));
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException(
                    "port " + port + " in the address '" + text + "' of " + field + " must be in 1..65535");
        }
        return new WorkerAddress(matcher.group(1) != null ? matcher.group(1) : matcher.group(2), port);
    }

    /// Resolves the host name; may block.
    ///
    /// @throws IllegalArgumentException if the host cannot be resolved
    public InetAddress resolve() {
        try {
            return InetAddress.getByName(host);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(
                    "host '" + host + "' of the address '" + this
                            + "' cannot be resolved; use a name or an address that" + " this machine knows",
                    e);
        }
    }

    /// Whether connections to this address never leave this machine: true for loopback addresses, `localhost` and its
    /// subdomains, and `.invalid`, which never resolves. Resolves no name.
    public boolean staysHere() {
        String name = host.toLowerCase(Locale.ROOT);
        if (name.equals("localhost") || name.endsWith(".localhost") || name.endsWith(".invalid")) {
            return true;
        }
        try {
            return InetAddress.ofLiteral(host).isLoopbackAddress();
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
