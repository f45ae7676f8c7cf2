package io.tensorferry.it.benchmark.grpc;

import com.google.protobuf.BytesValue;
import com.google.protobuf.Int64Value;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;

/// The service. Both methods take the length of a tensor, and answer with its content.
final class TensorService {
    static final String NAME = "tensorferry.benchmark.Tensors";

    /// One tensor, in one message.
    static final MethodDescriptor<Int64Value, BytesValue> GET = method("Get", MethodDescriptor.MethodType.UNARY);

    /// Any number of tensors in sequence, each in messages of [#CHUNK_BYTES] bytes and a shorter last one. A tensor
    /// whose length is a multiple of [#CHUNK_BYTES] has no shorter message.
    static final MethodDescriptor<Int64Value, BytesValue> STREAM =
            method("Stream", MethodDescriptor.MethodType.BIDI_STREAMING);

    static final int CHUNK_BYTES = 1 << 20;

    /// The window of HTTP/2's flow control, for each call and for the connection.
    static final int FLOW_CONTROL_BYTES = 8 << 20;

    private TensorService() {}

    private static MethodDescriptor<Int64Value, BytesValue> method(String name, MethodDescriptor.MethodType type) {
        return MethodDescriptor.<Int64Value, BytesValue>newBuilder()
                .setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, name))
                .setRequestMarshaller(ProtoUtils.marshaller(Int64Value.getDefaultInstance()))
                .setResponseMarshaller(ProtoUtils.marshaller(BytesValue.getDefaultInstance()))
                .build();
    }
}
