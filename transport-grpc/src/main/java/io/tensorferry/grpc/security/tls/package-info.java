/// Mutual TLS as grpc-netty runs it: PEM files, their reload, and the certificates that each end accepts.
package io.tensorferry.grpc.security.tls;
