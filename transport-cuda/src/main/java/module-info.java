import org.jspecify.annotations.NullMarked;

/// NVIDIA GPUs as accelerators of the transport. An application opens its GPUs here, and gives them to its server; only
/// the command line of TensorFerry depends on this module.
@NullMarked
module io.tensorferry.cuda {
    requires transitive io.tensorferry.api;
    requires io.tensorferry.bindings;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.tensorferry.cuda;
}
