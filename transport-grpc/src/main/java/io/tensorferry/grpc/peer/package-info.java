/// gRPC channels to other workers: name resolution, connecting, the threads of gRPC, and the mapping of status codes.
package io.tensorferry.grpc.peer;
