package io.tensorferry.bindings;

import java.util.ArrayList;
import java.util.List;

/// The result of comparing the bindings with C.
///
/// @param agreeing how many numbers are the same
/// @param unknown names of the checks that these headers cannot answer and need not
/// @param mismatches one line each: the name, and both values
record HeaderCheck(int agreeing, List<String> unknown, List<String> mismatches) {
    HeaderCheck {
        unknown = List.copyOf(unknown);
        mismatches = List.copyOf(mismatches);
    }

    /// Compares `checks` with the compiler's values.
    static HeaderCheck of(List<Check> checks, CProbe probe) {
        int agreeing = 0;
        var unknown = new ArrayList<String>();
        var mismatches = new ArrayList<String>();
        List<CProbe.Answer> answers =
                probe.ask(checks.stream().map(Check::expression).toList());
        for (int i = 0; i < checks.size(); i++) {
            Check check = checks.get(i);
            switch (answers.get(i)) {
                case CProbe.Value(long value) when value == check.stated() -> agreeing++;
                case CProbe.Value(long value) ->
                    mismatches.add("%s: %d in the bindings, %d in C".formatted(check.name(), check.stated(), value));
                case CProbe.Refused(String message)
                when check.required() ->
                    mismatches.add("%s: %d in the bindings, not known to C (%s)"
                            .formatted(check.name(), check.stated(), message));
                case CProbe.Refused _ -> unknown.add(check.name());
            }
        }
        return new HeaderCheck(agreeing, unknown, mismatches);
    }
}
