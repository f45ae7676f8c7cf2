/// The rules for mutual TLS and plaintext: the files and the identity that a server is given, and the connections that
/// may do without TLS.
///
/// Applications use [io.tensorferry.grpc.security.TransportSecurity] and [io.tensorferry.grpc.security.PeerIdentity].
package io.tensorferry.grpc.security;
