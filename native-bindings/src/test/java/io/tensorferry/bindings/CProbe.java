package io.tensorferry.bindings;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Asks this machine's C compiler for the values of expressions, by compiling a program and running it.
///
/// Used by one thread. Each process that it starts ends within [#LIMIT] or is killed.
final class CProbe {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    /// How `#line` below makes the compiler name the expression that it refuses.
    private static final Pattern REFUSAL = Pattern.compile("(?m)^expression:(\\d+):(?:\\d+:)? (?:fatal )?error: (.*)$");

    private final String preamble;
    private final List<String> arguments;
    private final Path directory;

    /// @param preamble C source that stands before the expressions: includes or declarations
    /// @param arguments more arguments for the compiler, such as `-I`
    /// @param directory an existing one to write in, from which programs may be executed; the caller removes it
    CProbe(String preamble, List<String> arguments, Path directory) {
        this.preamble = preamble;
        this.arguments = List.copyOf(arguments);
        this.directory = directory;
    }

    /// The compiler's answer to an expression.
    sealed interface Answer {}

    /// The expression's value.
    record Value(long value) implements Answer {}

    /// The compiler does not accept the expression.
    record Refused(String message) implements Answer {}

    /// The reason why no expression can be compiled: no compiler, or a refused preamble. Empty if there is none.
    Optional<String> unusable() {
        try {
            write("preamble.c", preamble + "\n");
            Outcome outcome = run(compiler("-fsyntax-only", "preamble.c"));
            return outcome.status() == 0 ? Optional.empty() : Optional.of(firstError(outcome.output()));
        } catch (IOException e) {
            return Optional.of("cannot run the C compiler `cc`");
        }
    }

    /// The answers to `expressions`, in their order.
    List<Answer> ask(List<String> expressions) {
        var refused = new HashMap<Integer, String>();
        try {
            Outcome compiled = compile(expressions, refused);
            while (compiled.status() != 0) {
                if (!collectRefusals(compiled.output(), refused)) {
                    throw new AssertionError("the C compiler failed:\n" + compiled.output());
                }
                compiled = compile(expressions, refused);
            }
            Outcome ran = run(List.of(directory.resolve("probe").toString()));
            if (ran.status() != 0) {
                throw new AssertionError("the C program ended with status " + ran.status() + ":\n" + ran.output());
            }
            var answers = new ArrayList<Answer>(expressions.size());
            Iterator<String> values = ran.output().lines().iterator();
            for (int i = 0; i < expressions.size(); i++) {
                String why = refused.get(i);
                answers.add(why != null ? new Refused(why) : new Value(Long.parseLong(values.next())));
            }
            return answers;
        } catch (IOException e) {
            throw new AssertionError("cannot run the C compiler or its program", e);
        }
    }

    private Outcome compile(List<String> expressions, Map<Integer, String> refused) throws IOException {
        var functions = new StringBuilder(preamble).append("\n#include <stdio.h>\n");
        var calls = new StringBuilder();
        for (int i = 0; i < expressions.size(); i++) {
            if (!refused.containsKey(i)) {
                // A function each: a compiler reports an unknown name once per function.
                functions.append("#line %d \"expression\"\nstatic long long e%d(void) { return (long long) (%s); }\n"
                        .formatted(i, i, expressions.get(i)));
                calls.append("    printf(\"%%lld\\n\", e%d());\n".formatted(i));
            }
        }
        write("probe.c", functions + "int main(void) {\n" + calls + "    return 0;\n}\n");
        return run(compiler("-o", "probe", "probe.c"));
    }

    /// Records the expressions that the compiler named, and returns whether it named any.
    private static boolean collectRefusals(String output, Map<Integer, String> refused) {
        boolean any = false;
        Matcher refusals = REFUSAL.matcher(output);
        while (refusals.find()) {
            refused.putIfAbsent(Integer.parseInt(refusals.group(1)), refusals.group(2));
            any = true;
        }
        return any;
    }

    private List<String> compiler(String... last) {
        return Stream.of(List.of("cc", "-std=gnu11", "-w"), arguments, List.of(last))
                .flatMap(List::stream)
                .toList();
    }

    private Outcome run(List<String> command) throws IOException {
        Path output = directory.resolve("output");
        var builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        // The messages that REFUSAL reads.
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        try {
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new AssertionError(command + " did not end in " + LIMIT.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while waiting for " + command, e);
        } finally {
            // The compiler driver's own processes first: they do not end with it.
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return new Outcome(process.exitValue(), Files.readString(output, UTF_8));
    }

    private void write(String file, String source) throws IOException {
        Files.writeString(directory.resolve(file), source, UTF_8);
    }

    private static String firstError(String output) {
        return output.lines()
                .filter(line -> line.contains("error: "))
                .map(line -> line.substring(line.indexOf("error: ") + "error: ".length()))
                .findFirst()
                .orElse(output.strip());
    }

    private record Outcome(int status, String output) {}
}
