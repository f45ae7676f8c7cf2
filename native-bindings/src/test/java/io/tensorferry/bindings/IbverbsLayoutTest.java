package io.tensorferry.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.bindings.ibverbs.Ibverbs;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The generated classes of libibverbs agree with this machine's `infiniband/verbs.h`.
class IbverbsLayoutTest {
    private static final GeneratedPackage IBVERBS = new GeneratedPackage(Ibverbs.class, "infiniband/verbs.h");

    @TempDir(factory = TargetDirectory.class)
    private Path directory;

    @Test
    void theBindingsAgreeWithTheHeader() {
        var probe = new CProbe("#include <infiniband/verbs.h>", List.of(), directory);
        InstalledHeader.assume(
                probe, "gcc or clang, and libibverbs-dev on Debian and Ubuntu, rdma-core-devel on Fedora and RHEL");
        List<Check> layouts = IBVERBS.layouts();
        List<Check> constants = ConstantChecks.of(Ibverbs.class, name -> name.startsWith("IBV_"));

        HeaderCheck result = HeaderCheck.of(
                Stream.concat(layouts.stream(), constants.stream()).toList(), probe);

        InstalledHeader.report(IBVERBS, layouts, constants, result);
        assertThat(result.mismatches()).isEmpty();
        assertThat(result.agreeing()).isGreaterThan(2000);
    }

    /// A member that a newer libclang loses silently: the layout without it has the same length.
    @Test
    void theUnnamedUnionsAreThere() {
        assertThat(IBVERBS.layouts().stream().map(Check::name))
                .contains(
                        "ibv_send_wr.imm_data offset",
                        "ibv_send_wr.invalidate_rkey offset",
                        "ibv_send_wr.wr.rdma.remote_addr offset",
                        "ibv_send_wr.bind_mw.bind_info.mr offset",
                        "ibv_send_wr.tso.mss offset",
                        "ibv_wc.imm_data offset",
                        "ibv_wc.invalidated_rkey offset");
    }

    /// The members of a C library type are not checked where the library changed them; its size always is.
    @Test
    void noTypeIsLeftOut() {
        assertThat(IBVERBS.types()).hasSizeGreaterThan(30);
        assertThat(IBVERBS.layouts().stream().filter(Check::required).map(Check::name))
                .contains("pthread_mutex_t size", "pthread_cond_t size", "ibv_gid size");
    }
}
