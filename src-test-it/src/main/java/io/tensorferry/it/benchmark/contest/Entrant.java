package io.tensorferry.it.benchmark.contest;

import io.tensorferry.it.benchmark.PathName;
import io.tensorferry.it.benchmark.rendezvous.Knobs;
import java.util.List;

/// A path that is to be measured: a contender as it comes, or one whose name turns some knobs, as
/// `grpc+verbs@busy:chunk=4MiB:underway=16MiB`.
///
/// @param name on the command line and in the table
public record Entrant(String name, Contender contender, Knobs knobs) {
    /// @throws IllegalArgumentException naming the path, its part that is wrong, and what would be right
    public static Entrant of(String name) {
        var parts = PathName.parse(name);
        var contender = Contender.of(parts.withSettings(List.of()).toString());
        try {
            return of(contender, parts.settings());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("path '" + name + "': " + e.getMessage(), e);
        }
    }

    /// @param settings of knobs, each as `chunk=4MiB`
    /// @throws IllegalArgumentException naming the setting that is wrong, and what would be right
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
