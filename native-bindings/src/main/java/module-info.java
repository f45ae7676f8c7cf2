import org.jspecify.annotations.NullMarked;

/// libibverbs and the CUDA driver as Java sees them: two packages that jextract generated, and the little by hand.
/// An application allows native access to this module, or to all unnamed ones where it uses the class path.
@NullMarked
module io.tensorferry.bindings {
    requires static transitive org.jspecify;

    exports io.tensorferry.bindings;
    exports io.tensorferry.bindings.cuda;
    exports io.tensorferry.bindings.ibverbs;
}
