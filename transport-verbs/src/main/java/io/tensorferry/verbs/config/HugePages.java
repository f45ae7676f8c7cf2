package io.tensorferry.verbs.config;

import io.tensorferry.verbs.device.DeviceDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// The page kind of the slabs of registered memory (`RDMA_HUGE_PAGES`).
public enum HugePages {
    /// [#TRANSPARENT] for a card if the kernel supports it, else [#NONE]; see [#on].
    AUTO,
    /// Base pages.
    NONE,
    /// Base pages that the kernel may merge into transparent huge pages (`madvise`, `MADV_HUGEPAGE`).
    TRANSPARENT,
    /// Huge pages reserved by the administrator (`MAP_HUGETLB`, `vm.nr_hugepages`). There is no fallback to base pages.
    RESERVED;

    private static final Path ENABLED = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    /// Resolves [#AUTO] for slabs of this device on this machine; returns every other value unchanged.
    public HugePages on(DeviceDescription device) {
        return on(device, ENABLED);
    }

    /// @param enabled the kernel's file with the state of transparent huge pages
    HugePages on(DeviceDescription device, Path enabled) {
        if (this != AUTO) {
            return this;
        }
        return device.isHardware() && areOffered(enabled) ? TRANSPARENT : NONE;
    }

    private static boolean areOffered(Path enabled) {
        try {
            return !Files.readString(enabled).contains("[never]");
        } catch (IOException e) {
            // The kernel has no transparent huge pages.
            return false;
        }
    }

    /// The value of the variable: `auto`, `none`, `transparent` or `reserved`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
