package io.tensorferry.verbs.config;

import io.tensorferry.verbs.device.DeviceDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/// In what pages the slabs of registered memory lie (`RDMA_HUGE_PAGES`).
public enum HugePages {
    /// [#TRANSPARENT] for a card where the kernel has them, else [#NONE]; see [#on].
    AUTO,
    /// The system's usual pages.
    NONE,
    /// Usual pages that the kernel is asked to join to huge ones (`madvise`, `MADV_HUGEPAGE`), as far as it can.
    TRANSPARENT,
    /// Huge pages that were set aside when the system was set up (`MAP_HUGETLB`, `vm.nr_hugepages`), or none at all.
    RESERVED;

    private static final Path ENABLED = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");

    /// What [#AUTO] means on this machine for slabs of this device; the others mean themselves.
    public HugePages on(DeviceDescription device) {
        return on(device, ENABLED);
    }

    /// @param enabled where the kernel says whether it has transparent ones
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
            // A kernel without them.
            return false;
        }
    }

    /// As it is written in the variable: `auto`, `none`, `transparent`, `reserved`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
