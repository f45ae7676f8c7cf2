/// Mutual TLS and plaintext rules: the files and the identity mapping that a server is given, and the connections that
/// may use plaintext.
///
/// Applications use [io.tensorferry.grpc.security.TransportSecurity] and [io.tensorferry.grpc.security.PeerIdentity].
package io.tensorferry.grpc.security;
