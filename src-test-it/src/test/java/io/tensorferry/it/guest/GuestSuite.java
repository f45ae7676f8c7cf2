package io.tensorferry.it.guest;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.tensorferry.it.guest.SuiteEvent.Kind;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/// Runs the test classes that its arguments name, in this process, and writes a [SuiteEvent] to standard output as
/// each thing happens. What the tests themselves print goes to the error stream.
///
/// Ends with status 0 whatever the tests say.
final class GuestSuite {
    private GuestSuite() {}

    public static void main(String[] classNames) {
        var events = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err);
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(
                        Arrays.stream(classNames).map(name -> selectClass(name)).toList())
                .filters(EngineFilter.includeEngines("junit-jupiter"))
                .build();
        LauncherFactory.create().execute(request, new Reporter(events));
        events.println(SuiteEvent.end().toLine());
        // A thread that a failed test has left would keep the process.
        System.exit(0);
    }

    /// Threading: the launcher's thread; tests do not run in parallel.
    private record Reporter(PrintStream events) implements TestExecutionListener {
        @Override
        public void executionSkipped(TestIdentifier identifier, String reason) {
            tell(Kind.SKIPPED, identifier, reason, null);
        }

        @Override
        public void executionStarted(TestIdentifier identifier) {
            tell(Kind.STARTED, identifier, null, null);
        }

        @Override
        public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
            Throwable cause = result.getThrowable().orElse(null);
            Kind kind = switch (result.getStatus()) {
                case SUCCESSFUL -> Kind.PASSED;
                case ABORTED -> Kind.ABORTED;
                case FAILED -> Kind.FAILED;
            };
            tell(kind, identifier, cause == null ? null : cause.getMessage(), cause);
        }

        private void tell(Kind kind, TestIdentifier identifier, @Nullable String reason, @Nullable Throwable failure) {
            events.println(new SuiteEvent(
                            kind,
                            identifier.getUniqueId(),
                            identifier.getParentId().orElse(null),
                            identifier.getDisplayName(),
                            identifier.isTest(),
                            identifier.getSource().map(Reporter::uri).orElse(null),
                            reason,
                            failure == null ? null : trace(failure))
                    .toLine());
        }

        private static @Nullable String uri(TestSource source) {
            return source instanceof MethodSource method
                    ? "method:" + method.getClassName() + "#" + method.getMethodName() + "("
                            + method.getMethodParameterTypes().replace(" ", "") + ")"
                    : null;
        }

        private static String trace(Throwable failure) {
            var trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            return trace.toString();
        }
    }
}
