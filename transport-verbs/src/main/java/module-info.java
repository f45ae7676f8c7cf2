import org.jspecify.annotations.NullMarked;

/// The transport by RDMA.
// io.tensorferry.testing is compiled after this module
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

    exports io.tensorferry.verbs.accelerator;
    exports io.tensorferry.verbs.channel;
    exports io.tensorferry.verbs.channel.lane;
    exports io.tensorferry.verbs.channel.setup;
    exports io.tensorferry.verbs.config;
    exports io.tensorferry.verbs.device;
    exports io.tensorferry.verbs.device.choice;
    exports io.tensorferry.verbs.device.ibverbs;
    exports io.tensorferry.verbs.device.software;
    exports io.tensorferry.verbs.device.software.core to
            io.tensorferry.testing;
    exports io.tensorferry.verbs.edge;
    exports io.tensorferry.verbs.link;
    exports io.tensorferry.verbs.loop;
    exports io.tensorferry.verbs.memory;
    exports io.tensorferry.verbs.partition;
    exports io.tensorferry.verbs.placement;
    exports io.tensorferry.verbs.rendezvous;
    exports io.tensorferry.verbs.rendezvous.fallback;
    exports io.tensorferry.verbs.rendezvous.strings;
    exports io.tensorferry.verbs.rendezvous.table;
    exports io.tensorferry.verbs.rendezvous.transfer;
    exports io.tensorferry.verbs.statistics;
    exports io.tensorferry.verbs.wire;
}
