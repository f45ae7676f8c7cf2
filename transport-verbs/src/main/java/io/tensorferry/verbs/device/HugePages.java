package io.tensorferry.verbs.device;

import java.util.Locale;

/// In what pages the slabs of registered memory lie (`RDMA_HUGE_PAGES`).
public enum HugePages {
    /// The system's usual pages.
    NONE,
    /// Usual pages that the kernel is asked to join to huge ones (`madvise`, `MADV_HUGEPAGE`), as far as it can.
    TRANSPARENT,
    /// Huge pages that were set aside when the system was set up (`MAP_HUGETLB`, `vm.nr_hugepages`), or none at all.
    RESERVED;

    /// As it is written in the variable: `none`, `transparent`, `reserved`.
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
