import org.jspecify.annotations.NullMarked;

/// NVIDIA's GPUs as accelerators of the transport. An application that has some opens them here, and gives them to its
/// server; nothing else of TensorFerry depends on this module.
@NullMarked
module io.tensorferry.cuda {
    requires transitive io.tensorferry.api;
    requires io.tensorferry.bindings;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.tensorferry.cuda;
}
