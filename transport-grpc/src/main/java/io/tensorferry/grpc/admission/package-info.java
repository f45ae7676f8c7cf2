/// Decides which connections a server accepts and which worker a call comes from.
package io.tensorferry.grpc.admission;
