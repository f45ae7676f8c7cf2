import org.jspecify.annotations.NullMarked;

/// The transport by RDMA.
// the sibling modules are compiled after this one
@SuppressWarnings("module")
@NullMarked
module io.tensorferry.verbs {
    requires transitive io.tensorferry.api;
    requires io.tensorferry.bindings;
    requires io.tensorferry.proto;
    requires jdk.management;
    requires org.jctools.core.jdk11;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.tensorferry.verbs.config;
    exports io.tensorferry.verbs.device;
    exports io.tensorferry.verbs.device.choice;
    exports io.tensorferry.verbs.placement;
    exports io.tensorferry.verbs.statistics;

    // For the sibling modules only. These packages change without notice.
    exports io.tensorferry.verbs.accelerator to
            io.tensorferry.grpc,
            io.tensorferry.testing;
    exports io.tensorferry.verbs.channel to
            io.tensorferry.grpc,
            io.tensorferry.testing;
    exports io.tensorferry.verbs.channel.setup to
            io.tensorferry.grpc,
            io.tensorferry.it;
    exports io.tensorferry.verbs.device.ibverbs to
            io.tensorferry.grpc,
            io.tensorferry.it;
    exports io.tensorferry.verbs.device.software to
            io.tensorferry.grpc,
            io.tensorferry.it;
    exports io.tensorferry.verbs.device.software.core to
            io.tensorferry.testing;
    exports io.tensorferry.verbs.edge to
            io.tensorferry.grpc,
            io.tensorferry.testing;
    exports io.tensorferry.verbs.link to
            io.tensorferry.grpc,
            io.tensorferry.it,
            io.tensorferry.testing;
    exports io.tensorferry.verbs.loop to
            io.tensorferry.grpc,
            io.tensorferry.testing;
    exports io.tensorferry.verbs.memory to
            io.tensorferry.cli,
            io.tensorferry.grpc,
            io.tensorferry.it;
    exports io.tensorferry.verbs.partition to
            io.tensorferry.grpc,
            io.tensorferry.it,
            io.tensorferry.testing;
    exports io.tensorferry.verbs.rendezvous to
            io.tensorferry.grpc,
            io.tensorferry.testing;
    exports io.tensorferry.verbs.rendezvous.fallback to
            io.tensorferry.grpc,
            io.tensorferry.testing;
    exports io.tensorferry.verbs.rendezvous.strings to
            io.tensorferry.grpc;
    exports io.tensorferry.verbs.rendezvous.table to
            io.tensorferry.grpc;
    exports io.tensorferry.verbs.rendezvous.transfer to
            io.tensorferry.grpc,
            io.tensorferry.it,
            io.tensorferry.testing;
    exports io.tensorferry.verbs.wire to
            io.tensorferry.it;
}
