package io.tensorferry.bindings;

import org.jspecify.annotations.Nullable;

/// For which machines the generated layouts are right. On others they would have the device read and write in wrong
/// places, so those are refused: on aarch64, for example, a `pthread_mutex_t` has 48 bytes and not 40, and every field
/// behind one lies elsewhere.
final class Platform {
    private Platform() {}

    /// Why the layouts do not fit, or null if they do.
    ///
    /// @param library whose layouts, for people
    /// @param system the system property `os.name`
    /// @param architecture the system property `os.arch`
    static @Nullable String obstacle(String library, String system, String architecture) {
        boolean fits = system.equals("Linux") && (architecture.equals("amd64") || architecture.equals("x86_64"));
        return fits
                ? null
                : "the bindings of " + library + " are made for Linux on x86-64, and this is " + system + " on "
                        + architecture;
    }
}
