import org.jspecify.annotations.NullMarked;

/// Fixtures for tests: RDMA devices, accelerators and whole workers that run in one process under virtual time, with
/// faults that a test chooses.
@NullMarked
module io.tensorferry.testing {
    requires io.tensorferry.bindings;
    requires transitive io.tensorferry.verbs;
    requires static transitive org.jspecify;

    exports io.tensorferry.testing.accelerator;
    exports io.tensorferry.testing.fabric;
    exports io.tensorferry.testing.simulation;
}
