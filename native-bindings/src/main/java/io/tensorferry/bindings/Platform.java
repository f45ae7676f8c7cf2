package io.tensorferry.bindings;

import org.jspecify.annotations.Nullable;

/// Checks whether the generated layouts match the machine. With other layouts the device would read and write wrong
/// addresses, so other machines are refused. On aarch64, for example, a `pthread_mutex_t` has 48 bytes instead of 40,
/// and all fields after it have other offsets.
final class Platform {
    private Platform() {}

    /// Returns the reason that the layouts do not match, or null if they do.
    ///
    /// @param library the name of the library, for the message
    /// @param system the system property `os.name`
    /// @param architecture the system property `os.arch`
    static @Nullable String obstacle(String library, String system, String architecture) {
        boolean fits = system.equals("Linux") && (architecture.equals("amd64") || architecture.equals("x86_64"));
        return fits
                ? null
                : "the bindings of " + library + " need Linux on x86-64, and this is " + system + " on " + architecture;
    }
}
