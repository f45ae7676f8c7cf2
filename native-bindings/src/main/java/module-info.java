import org.jspecify.annotations.NullMarked;

/// libibverbs and the CUDA driver as Java sees them: two packages that jextract generated, and the little by hand.
/// An application allows native access to this module, or to all unnamed ones where it uses the class path.
// the sibling modules are compiled after this one
@SuppressWarnings("module")
@NullMarked
module io.tensorferry.bindings {
    requires static transitive org.jspecify;

    exports io.tensorferry.bindings to
            io.tensorferry.cuda,
            io.tensorferry.testing,
            io.tensorferry.verbs;
    exports io.tensorferry.bindings.cuda to
            io.tensorferry.cuda;
    exports io.tensorferry.bindings.ibverbs to
            io.tensorferry.verbs;
}
