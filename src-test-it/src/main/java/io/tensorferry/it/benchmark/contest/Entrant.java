package io.tensorferry.it.benchmark.contest;

import io.tensorferry.it.benchmark.PathName;
import io.tensorferry.it.benchmark.rendezvous.Knobs;
import java.util.List;

/// A path to measure: a contender with its defaults, or with knobs set in its name, as in
/// `grpc+verbs@busy:chunk=4MiB:underway=16MiB`.
///
/// @param name the name on the command line and in the table
public record Entrant(String name, Contender contender, Knobs knobs) {
    /// @throws IllegalArgumentException naming the path, its invalid part, and the valid values
    public static Entrant of(String name) {
        var parts = PathName.parse(name);
        var contender = Contender.of(parts.withSettings(List.of()).toString());
        try {
            return of(contender, parts.settings());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("path '" + name + "': " + e.getMessage(), e);
        }
    }

    /// @param settings of knobs, for example `chunk=4MiB`
    /// @throws IllegalArgumentException naming the invalid setting and the valid values
    public static Entrant of(Contender contender, List<String> settings) {
        if (!settings.isEmpty() && !contender.hasKnobs()) {
            throw new IllegalArgumentException(
                    "'" + settings.getFirst() + "': only grpc+verbs and its variants have knobs");
        }
        var knobs = Knobs.parse(settings);
        if (knobs.concernGathers() && !contender.gathers()) {
            throw new IllegalArgumentException("'" + String.join(":", settings) + "': it gathers no rows");
        }
        if (knobs.concernAccelerators() && contender != Contender.GPU) {
            throw new IllegalArgumentException("'" + String.join(":", settings) + "': it has no accelerator");
        }
        String name = PathName.parse(contender.path()).withSettings(settings).toString();
        return new Entrant(name, contender, knobs);
    }

    @Override
    public String toString() {
        return name;
    }
}
