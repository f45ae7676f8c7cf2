import org.jspecify.annotations.NullMarked;

/// The transport by RDMA. A package is exported once it has a class: `device`, `device.software`, `memory`, `wire`,
/// `channel`, `rendezvous`.
@NullMarked
module io.tensorferry.verbs {
    requires transitive io.tensorferry.api;
    requires io.tensorferry.bindings;
    requires io.tensorferry.proto;
    requires org.jctools.core.jdk11;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.tensorferry.verbs.device;
    exports io.tensorferry.verbs.memory;
}
