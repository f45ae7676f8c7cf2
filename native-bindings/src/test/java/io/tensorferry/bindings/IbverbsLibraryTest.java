package io.tensorferry.bindings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The search for the library, each in its own process: a process searches only once.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class IbverbsLibraryTest {
    private static final String ALLOWED = "--enable-native-access=ALL-UNNAMED";

    /// Prints the result of the search.
    public static final class Find {
        private Find() {}

        public static void main(String[] arguments) {
            System.out.println(
                    switch (IbverbsLibrary.find()) {
                        case IbverbsLibrary.Present present ->
                            "present " + present.has("ibv_reg_mr") + " " + present.has("ibv_no_such_verb");
                        case IbverbsLibrary.Absent absent -> "absent " + absent.reason() + " | " + absent.cause();
                    });
        }
    }

    @Test
    void theInstalledLibraryIsFoundWithItsFunctions() throws Exception {
        String found = find(ALLOWED);
        assumeTrue(!found.contains("is not installed"), "libibverbs is not installed here");
        assertThat(found).isEqualTo("present true false");
    }

    @Test
    void aPathThatLeadsNowhereIsNamedWithItsProperty() throws Exception {
        assertThat(find(ALLOWED, "-D" + IbverbsLibrary.PATH_PROPERTY + "=/no/such/libibverbs.so.1"))
                .startsWith("absent")
                .contains("/no/such/libibverbs.so.1", IbverbsLibrary.PATH_PROPERTY, "IllegalArgumentException");
    }

    @Test
    void anotherLibraryIsNotTakenForIt() throws Exception {
        Path other = Path.of(System.getProperty("java.home"), "lib", "libzip.so");
        assertThat(find(ALLOWED, "-D" + IbverbsLibrary.PATH_PROPERTY + "=" + other))
                .startsWith("absent");
    }

    @Test
    void whereNativeAccessIsDeniedTheFlagIsNamed() throws Exception {
        assertThat(find("--illegal-native-access=deny"))
                .startsWith("absent")
                .contains("--enable-native-access=ALL-UNNAMED", "IllegalCallerException");
    }

    private static String find(String... flags) throws IOException, InterruptedException {
        return OwnProcess.output(Find.class, flags);
    }
}
