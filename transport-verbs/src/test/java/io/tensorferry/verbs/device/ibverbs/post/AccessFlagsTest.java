package io.tensorferry.verbs.device.ibverbs.post;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.verbs.config.RelaxedOrdering;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.ibverbs.IbverbsOptions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The access flags of registered memory.
@Timeout(30)
class AccessFlagsTest {
    @Test
    void relaxedOrderingIsAddedToTheAccessThatIsAskedFor() {
        requireLibrary();
        Set<AccessFlag> access = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        int plain = Ibverbs.IBV_ACCESS_LOCAL_WRITE() | Ibverbs.IBV_ACCESS_MW_BIND();
        assertThat(AccessFlags.bits(access, false)).isEqualTo(plain);
        assertThat(AccessFlags.bits(access, true)).isEqualTo(plain | Ibverbs.IBV_ACCESS_RELAXED_ORDERING());
    }

    /// The class with the constants loads the library.
    private static void requireLibrary() {
        try {
            assertThat(Ibverbs.IBV_ACCESS_LOCAL_WRITE()).isPositive();
        } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
            abort("libibverbs is not installed");
        }
    }

    /// A NIC's writes to an accelerator's memory take another path than its completions.
    @Test
    void byDefaultItIsForHostMemoryAlone() {
        RelaxedOrdering byDefault = IbverbsOptions.defaults().relaxedOrdering();
        assertThat(byDefault).isEqualTo(RelaxedOrdering.AUTO);
        assertThat(byDefault.ofHostMemory()).isTrue();
        assertThat(byDefault.ofAccelerators()).isFalse();
        assertThat(RelaxedOrdering.ON.ofHostMemory() && RelaxedOrdering.ON.ofAccelerators())
                .isTrue();
        assertThat(RelaxedOrdering.OFF.ofHostMemory() || RelaxedOrdering.OFF.ofAccelerators())
                .isFalse();
    }
}
