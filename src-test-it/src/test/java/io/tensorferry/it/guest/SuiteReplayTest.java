package io.tensorferry.it.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

/// What [GuestSuite] says of test classes of every kind, in a process on the host, becomes the same tests again.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SuiteReplayTest {
    /// Not run as tests of this project: Maven's plugins leave out nested classes.
    static class Sample {
        @Test
        void passes() {
            System.out.println("not an event");
        }

        @Test
        void fails() {
            throw new AssertionError("wanted");
        }

        @Test
        @Disabled("not today")
        void isDisabled() {}

        @Test
        void isAborted() {
            abort("not here");
        }

        @ParameterizedTest
        @ValueSource(ints = {7, 8})
        void hasParameters(int number) {
            assertThat(number).isEqualTo(7);
        }

        @Nested
        class Inner {
            @Test
            void passesToo() {}
        }
    }

    static class NeverStarts {
        @BeforeAll
        static void fails() {
            throw new IllegalStateException("no device");
        }

        @Test
        void isNotRun() {}
    }

    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    static class Crashing {
        @Test
        @Order(1)
        void passes() {}

        @Test
        @Order(2)
        void takesTheProcessWithIt() {
            Runtime.getRuntime().halt(9);
        }

        @Test
        @Order(3)
        void isNotRun() {}
    }

    static class Empty {}

    static class Unwanted {
        @BeforeAll
        static void isNotHere() {
            abort("no device");
        }

        @Test
        void isNotRun() {}
    }

    @Test
    void eachTestKeepsItsNameItsPlaceAndItsEnding() throws Exception {
        Map<String, DynamicTest> tests = replay(Sample.class);

        assertThat(tests.keySet())
                .containsExactlyInAnyOrder(
                        "SuiteReplayTest$Sample/passes()",
                        "SuiteReplayTest$Sample/fails()",
                        "SuiteReplayTest$Sample/isDisabled()",
                        "SuiteReplayTest$Sample/isAborted()",
                        "SuiteReplayTest$Sample/hasParameters(int)/[1] 7",
                        "SuiteReplayTest$Sample/hasParameters(int)/[2] 8",
                        "SuiteReplayTest$Sample/Inner/passesToo()");
        assertThat(ending(tests, "SuiteReplayTest$Sample/passes()")).isNull();
        assertThat(ending(tests, "SuiteReplayTest$Sample/Inner/passesToo()")).isNull();
        assertThat(ending(tests, "SuiteReplayTest$Sample/hasParameters(int)/[1] 7"))
                .isNull();
        assertThat(ending(tests, "SuiteReplayTest$Sample/hasParameters(int)/[2] 8"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("8");
        assertThat(ending(tests, "SuiteReplayTest$Sample/fails()"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("SuiteReplayTest$Sample fails(): java.lang.AssertionError: wanted")
                .hasMessageContaining("at " + Sample.class.getName() + ".fails(SuiteReplayTest.java:");
        assertThat(ending(tests, "SuiteReplayTest$Sample/isDisabled()"))
                .isInstanceOf(TestAbortedException.class)
                .hasMessage("not today");
        assertThat(ending(tests, "SuiteReplayTest$Sample/isAborted()"))
                .isInstanceOf(TestAbortedException.class)
                .hasMessageContaining("not here");
        assertThat(tests.get("SuiteReplayTest$Sample/hasParameters(int)/[1] 7").getTestSourceUri())
                .contains(URI.create("method:" + Sample.class.getName() + "#hasParameters(int)"));
    }

    @Test
    void aClassThatCannotStartIsAFailure() throws Exception {
        Map<String, DynamicTest> tests = replay(NeverStarts.class);
        assertThat(tests).hasSize(1);
        assertThat(ending(tests, "SuiteReplayTest$NeverStarts/SuiteReplayTest$NeverStarts"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no device");
    }

    @Test
    void aProcessThatDiesIsOneFailureThatTellsWhere() throws Exception {
        Map<String, DynamicTest> tests = replay(Crashing.class);
        assertThat(tests.keySet()).containsExactly("SuiteReplayTest$Crashing/passes()", "the guest came to the end");
        assertThat(ending(tests, "SuiteReplayTest$Crashing/passes()")).isNull();
        assertThat(ending(tests, "the guest came to the end"))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("the guest ended in the middle of takesTheProcessWithIt()")
                .hasMessageEndingWith("; status 9");
    }

    @Test
    void aRunThatFindsNoTestIsAFailure() throws Exception {
        Map<String, DynamicTest> tests = replay(Empty.class);
        assertThat(tests.keySet()).containsExactly("the guest ran a test");
        assertThat(ending(tests, "the guest ran a test"))
                .isInstanceOf(AssertionError.class)
                .hasMessageEndingWith("; status 0");
    }

    @Test
    void aRunThatSkipsEveryTestIsAFailure() throws Exception {
        Map<String, DynamicTest> tests = replay(Unwanted.class);
        assertThat(tests.keySet())
                .containsExactly("SuiteReplayTest$Unwanted/SuiteReplayTest$Unwanted", "the guest ran a test");
        assertThat(ending(tests, "the guest ran a test")).isInstanceOf(AssertionError.class);
    }

    @Test
    void aClassThatDoesNotExistIsAFailure() throws Exception {
        var replay = new SuiteReplay();
        int status = run(replay, "io.tensorferry.NoSuchTest");
        Map<String, DynamicTest> tests = byPath(replay.tests("status " + status));
        assertThat(tests).hasSize(1);
        assertThat(ending(tests, tests.keySet().iterator().next())).isInstanceOf(AssertionError.class);
    }

    private static Map<String, DynamicTest> replay(Class<?> testClass) throws Exception {
        var replay = new SuiteReplay();
        int status = run(replay, testClass.getName());
        return byPath(replay.tests("status " + status));
    }

    private static int run(SuiteReplay replay, String testClass) throws IOException, InterruptedException {
        String classPath = System.getProperty("java.class.path");
        Process process = new ProcessBuilder(Guest.java(classPath, GuestSuite.class, List.of(), List.of(testClass)))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var lines = process.inputReader()) {
            assertThat(lines.lines().filter(line -> !replay.accept(line)).toList())
                    .as("lines that are no events")
                    .isEmpty();
            return process.waitFor();
        } finally {
            process.destroyForcibly();
        }
    }

    private static Map<String, DynamicTest> byPath(List<DynamicNode> nodes) {
        var tests = new LinkedHashMap<String, DynamicTest>();
        collect("", nodes, tests);
        return tests;
    }

    private static void collect(String path, List<? extends DynamicNode> nodes, Map<String, DynamicTest> tests) {
        for (DynamicNode node : nodes) {
            switch (node) {
                case DynamicContainer container ->
                    collect(
                            path + container.getDisplayName() + "/",
                            container.getChildren().toList(),
                            tests);
                case DynamicTest test ->
                    assertThat(tests.put(path + test.getDisplayName(), test)).isNull();
                default -> throw new IllegalArgumentException(node.toString());
            }
        }
    }

    private static @Nullable Throwable ending(Map<String, DynamicTest> tests, String path) {
        return catchThrowable(() -> tests.get(path).getExecutable().execute());
    }
}
