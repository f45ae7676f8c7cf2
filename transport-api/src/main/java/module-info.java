import org.jspecify.annotations.NullMarked;

/// The rendezvous API that training runtimes call, independent of the transport.
@NullMarked
module io.tensorferry.api {
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.tensorferry.api;
}
