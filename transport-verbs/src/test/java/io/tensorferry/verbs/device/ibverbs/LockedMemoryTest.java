package io.tensorferry.verbs.device.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.VerbsException;
import org.junit.jupiter.api.Test;

class LockedMemoryTest {
    @Test
    void namesTheLimitTheNeedAndTheRemedy() {
        assertThat(LockedMemory.explain(VerbsException.ENOMEM, 65_536, "rxe0"))
                .contains("65536 bytes", "rxe0", "RLIMIT_MEMLOCK", "ulimit -l", "LimitMEMLOCK")
                .containsPattern("now ([0-9]+|unlimited) bytes");
    }

    @Test
    void doesNotBlameTheLimitForOtherErrors() {
        assertThat(LockedMemory.explain(VerbsException.EFAULT, 1, "rxe0")).doesNotContain("RLIMIT");
    }
}
