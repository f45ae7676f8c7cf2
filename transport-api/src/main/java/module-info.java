import org.jspecify.annotations.NullMarked;

/// The Rendezvous API: what a runtime calls, whatever moves the tensors.
@NullMarked
module io.tensorferry.api {
    requires static transitive org.jspecify;
    requires org.slf4j;

    exports io.tensorferry.api;
}
