package io.tensorferry.bindings;

import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Optional;

/// The output of the tests against an installed header: the reason for a skip, or the number of comparisons.
final class InstalledHeader {
    private InstalledHeader() {}

    /// Skips the test if nothing can be compared. The reason is printed too: Maven's summary counts skipped tests, but
    /// does not state reasons.
    ///
    /// @param needs what must be installed
    static void assume(CProbe probe, String needs) {
        String architecture = System.getProperty("os.arch");
        Optional<String> reason = architecture.equals("amd64")
                ? probe.unusable().map(error -> error + " (needs " + needs + ")")
                : Optional.of("the bindings are for x86-64 and this is " + architecture);
        reason.ifPresent(why -> {
            System.out.println("Layouts not compared with C: " + why);
            abort(why);
        });
    }

    /// Prints one line.
    static void report(GeneratedPackage generated, List<Check> layouts, List<Check> constants, HeaderCheck result) {
        System.out.printf(
                "%s: %,d types with %,d sizes, alignments and offsets, and %,d constants: %,d agree with %s, %,d differ%s%n",
                generated.headerClass().getSimpleName(),
                generated.types().size(),
                layouts.size(),
                constants.size(),
                result.agreeing(),
                generated.include(),
                result.mismatches().size(),
                result.unknown().isEmpty() ? "" : ", not known to it: " + String.join(", ", result.unknown()));
    }
}
