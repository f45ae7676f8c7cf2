package io.tensorferry.verbs.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.verbs.device.DeviceDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/// The default page size of slabs.
@Timeout(30)
class HugePagesTest {
    private static final DeviceDescription CARD =
            new DeviceDescription(DeviceDescription.Transport.INFINIBAND, "16.35.2000", 1, 1, 0x02C9, 4123, 0);
    private static final DeviceDescription SOFT_ROCE =
            new DeviceDescription(DeviceDescription.Transport.INFINIBAND, "", 1, 1, 0xFF_FFFF, 0, 0);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "[always] madvise never, TRANSPARENT",
        "always [madvise] never, TRANSPARENT",
        "always madvise [never], NONE"
    })
    void onACardTheyAreTransparentWhereTheKernelJoinsPages(String says, HugePages expected) throws IOException {
        Path enabled = Files.writeString(folder.resolve("enabled"), says + "\n");
        assertThat(HugePages.AUTO.on(CARD, enabled)).isEqualTo(expected);
    }

    @Test
    void aKernelThatHasNoneIsAskedForNone() {
        assertThat(HugePages.AUTO.on(CARD, folder.resolve("missing"))).isEqualTo(HugePages.NONE);
    }

    /// `soft0` shares its slabs with processes of the same host as memory files, and Soft-RoCE has no page tables.
    @Test
    void withoutACardTheyAreTheUsualOnes() throws IOException {
        Path enabled = Files.writeString(folder.resolve("enabled"), "[always] madvise never");
        assertThat(HugePages.AUTO.on(DeviceDescription.software(), enabled)).isEqualTo(HugePages.NONE);
        assertThat(HugePages.AUTO.on(SOFT_ROCE, enabled)).isEqualTo(HugePages.NONE);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whatIsSetIsTaken(HugePages set) {
        assertThat(set.on(CARD)).isEqualTo(set);
        assertThat(set.on(DeviceDescription.software())).isEqualTo(set);
        assertThat(RdmaConfig.builder().hugePages(set).build().forMemoryOf(CARD).hugePages())
                .isEqualTo(set);
    }
}
