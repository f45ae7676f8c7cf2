package io.tensorferry.bindings;

import io.tensorferry.bindings.LibraryLoader.Failure;
import io.tensorferry.bindings.LibraryLoader.Wanted;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import java.util.List;

/// Loads libibverbs on the first query, and keeps the result.
final class IbverbsLoader {
    // These functions exist since rdma-core 32 (2020).
    private static final LibraryLoader LOADER = new LibraryLoader(new Wanted(
            "libibverbs",
            "libibverbs.so.1",
            IbverbsLibrary.PATH_PROPERTY,
            List.of("ibv_reg_mr_iova2", "_ibv_query_gid_ex"),
            "the libibverbs of rdma-core 32",
            "packages libibverbs1 and ibverbs-providers on Debian and Ubuntu, libibverbs on Red Hat",
            Ibverbs::ibv_get_device_list$address));

    static final IbverbsLibrary LIBRARY = library();

    private IbverbsLoader() {}

    static boolean has(String function) {
        return LOADER.has(function);
    }

    private static IbverbsLibrary library() {
        Failure failure = LOADER.failure();
        return failure == null
                ? new IbverbsLibrary.Present()
                : new IbverbsLibrary.Absent(failure.reason(), failure.cause());
    }
}
