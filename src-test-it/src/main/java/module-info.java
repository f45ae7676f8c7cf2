import org.jspecify.annotations.NullMarked;

/// Benchmarks and samples that run. Nobody depends on it; it is open because picocli looks into its classes.
// HdrHistogram names no module of its own
@SuppressWarnings("requires-automatic")
@NullMarked
open module io.tensorferry.it {
    requires HdrHistogram;
    requires com.google.gson;
    requires info.picocli;
    requires io.tensorferry.api;
    requires io.tensorferry.bindings;
    requires io.tensorferry.grpc;
    requires io.tensorferry.proto;
    requires io.tensorferry.verbs;
    requires me.tongfei.progressbar;
    requires org.slf4j;
    requires static org.jspecify;
}
