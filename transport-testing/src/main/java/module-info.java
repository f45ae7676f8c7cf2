import org.jspecify.annotations.NullMarked;

/// Test fixtures: RDMA devices, accelerators and complete workers that run in one process under virtual time, with
/// injected faults.
@NullMarked
module io.tensorferry.testing {
    requires io.tensorferry.bindings;
    requires transitive io.tensorferry.verbs;
    requires static transitive org.jspecify;

    exports io.tensorferry.testing.accelerator;
    exports io.tensorferry.testing.fabric;
    exports io.tensorferry.testing.simulation;
}
