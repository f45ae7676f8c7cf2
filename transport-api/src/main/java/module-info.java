import org.jspecify.annotations.NullMarked;

/// The rendezvous API that training runtimes call, independent of the transport.
// the sibling modules are compiled after this one
@SuppressWarnings("module")
@NullMarked
module io.tensorferry.api {
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.tensorferry.api;
    exports io.tensorferry.api.edge;
    exports io.tensorferry.api.partition;

    // For transports only. This package changes without notice.
    exports io.tensorferry.api.thread to
            io.tensorferry.grpc,
            io.tensorferry.testing,
            io.tensorferry.verbs;
}
