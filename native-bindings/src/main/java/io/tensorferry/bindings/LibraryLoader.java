package io.tensorferry.bindings;

import io.tensorferry.bindings.ibverbs.Ibverbs;
import java.lang.foreign.Arena;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Loads libibverbs when it is first asked for, and keeps what came of it.
final class LibraryLoader {
    private static final String NAME = "libibverbs.so.1";
    // From rdma-core 32 on, of the year 2020.
    private static final List<String> NEEDED = List.of("ibv_reg_mr_iova2", "_ibv_query_gid_ex");
    private static @Nullable SymbolLookup symbols;
    static final IbverbsLibrary LIBRARY = load();

    private LibraryLoader() {}

    static boolean has(String function) {
        return symbols != null && symbols.find(function).isPresent();
    }

    private static IbverbsLibrary load() {
        String unfit = Platform.obstacle("libibverbs", System.getProperty("os.name"), System.getProperty("os.arch"));
        if (unfit != null) {
            return new IbverbsLibrary.Absent(unfit, null);
        }
        String path = System.getProperty(IbverbsLibrary.PATH_PROPERTY);
        try {
            // Loaded here first: the generated class asks for the name, and the system then takes what is loaded
            // under it.
            symbols = path == null
                    ? SymbolLookup.libraryLookup(NAME, Arena.global())
                    : SymbolLookup.libraryLookup(Path.of(path), Arena.global());
        } catch (IllegalCallerException e) {
            return new IbverbsLibrary.Absent(NativeAccess.denied(), e);
        } catch (IllegalArgumentException e) {
            return new IbverbsLibrary.Absent(path == null ? notFound() : notFound(path), e);
        }
        for (String function : NEEDED) {
            if (!has(function)) {
                return new IbverbsLibrary.Absent(
                        (path == null ? NAME : path) + " has no " + function
                                + ": it is not the libibverbs of rdma-core 32 or newer, which is needed",
                        null);
            }
        }
        try {
            Ibverbs.ibv_get_device_list$address();
        } catch (ExceptionInInitializerError e) {
            return new IbverbsLibrary.Absent(
                    path + ", of the system property " + IbverbsLibrary.PATH_PROPERTY + ", is not " + NAME
                            + " by its own name",
                    e.getCause());
        }
        return new IbverbsLibrary.Present();
    }

    private static String notFound() {
        return NAME + " is not installed (packages libibverbs1 and ibverbs-providers on Debian and Ubuntu, libibverbs"
                + " on Red Hat); the system property " + IbverbsLibrary.PATH_PROPERTY + " names another place";
    }

    private static String notFound(String path) {
        return "the system property " + IbverbsLibrary.PATH_PROPERTY + " is " + path
                + ", which cannot be loaded; it must be the path of a " + NAME;
    }
}
