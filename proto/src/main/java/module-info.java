/// The messages and gRPC services of TensorFerry. Everything exported is generated.
// gRPC and protobuf name no module of their own
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module io.tensorferry.proto {
    requires transitive com.google.protobuf;
    requires transitive io.grpc;
    requires transitive io.grpc.protobuf;
    requires transitive io.grpc.stub;
    requires transitive com.google.common;
    // Guava's futures need it, and Guava, which is no module, cannot say so.
    requires com.google.common.util.concurrent.internal;

    exports io.tensorferry.proto;
}
