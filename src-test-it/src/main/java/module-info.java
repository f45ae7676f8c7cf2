import org.jspecify.annotations.NullMarked;

/// Benchmarks and runnable samples. No other module depends on it. It is open because picocli reflects on its classes.
// HdrHistogram declares no module name.
@SuppressWarnings("requires-automatic")
@NullMarked
open module io.tensorferry.it {
    requires HdrHistogram;
    requires com.google.gson;
    requires com.google.protobuf;
    requires info.picocli;
    requires io.grpc;
    requires io.grpc.netty.shaded;
    requires io.grpc.protobuf;
    requires io.grpc.stub;
    requires io.tensorferry.api;
    requires io.tensorferry.bindings;
    requires io.tensorferry.cuda;
    requires io.tensorferry.grpc;
    requires io.tensorferry.proto;
    requires io.tensorferry.testing;
    requires io.tensorferry.verbs;
    requires java.management;
    requires jdk.management;
    requires me.tongfei.progressbar;
    requires org.slf4j;
    requires static org.jspecify;
}
