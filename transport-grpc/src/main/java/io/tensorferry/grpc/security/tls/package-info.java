/// Implements mutual TLS for grpc-netty: PEM files, their reload, and the certificates that each end accepts.
package io.tensorferry.grpc.security.tls;
