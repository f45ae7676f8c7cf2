import org.jspecify.annotations.NullMarked;

/// The transport server, the cluster description, channel set-up over gRPC, and the transport of tensors over plain
/// gRPC.
// gRPC's jars declare no module name
@SuppressWarnings("requires-automatic")
@NullMarked
module io.tensorferry.grpc {
    requires com.google.gson;
    requires io.grpc;
    requires io.grpc.internal;
    requires io.grpc.netty.shaded;
    requires io.grpc.protobuf;
    requires io.grpc.stub;
    requires io.grpc.util;
    requires io.tensorferry.proto;
    requires transitive io.tensorferry.verbs;
    requires java.logging;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.tensorferry.grpc;
    exports io.tensorferry.grpc.cluster;
    exports io.tensorferry.grpc.security;
}
