package io.tensorferry.it.tally;

import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.it.tally.Tally.Count;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/// Counts the tests of classes with [DeviceTests], and leaves the [Tally] in the file that the system property
/// `tally.file` names; without that property nothing is counted. JUnit finds it as a service.
///
/// Threading: any; the platform may make several, and they count together.
public final class TallyListener implements TestExecutionListener {
    private static final List<Count> COUNTS = new ArrayList<>();

    private final @Nullable String file = System.getProperty("tally.file");
    private @Nullable TestPlan plan;

    @Override
    public void testPlanExecutionStarted(TestPlan started) {
        plan = started;
    }

    @Override
    public void executionSkipped(TestIdentifier identifier, String reason) {
        count(identifier, 0, 0, 1, List.of(reason));
    }

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
        switch (result.getStatus()) {
            case SUCCESSFUL -> {
                if (identifier.isTest()) {
                    count(identifier, 1, 0, 0, List.of());
                }
            }
            case FAILED -> count(identifier, 0, 1, 0, List.of());
            case ABORTED ->
                count(
                        identifier,
                        0,
                        0,
                        1,
                        result.getThrowable().map(Throwable::getMessage).stream()
                                .toList());
        }
    }

    private void count(TestIdentifier identifier, int passed, int failed, int skipped, List<String> reasons) {
        DeviceTests tests = file == null ? null : annotation(identifier);
        if (tests == null) {
            return;
        }
        String named = System.getProperty("rdma.device");
        if (SoftwareProvider.DEVICE.equals(named)) {
            named = null;
        }
        On on = switch (tests.on()) {
            case NAMED_OR_SOFTWARE -> named == null ? On.SOFTWARE : On.NAMED;
            case NAMED, SOFTWARE, GUEST, CUDA -> tests.on();
        };
        if (on == On.NAMED && named == null) {
            return;
        }
        synchronized (COUNTS) {
            COUNTS.add(new Count(on, on == On.NAMED ? named : null, tests.kind(), passed, failed, skipped, reasons));
        }
    }

    private @Nullable DeviceTests annotation(TestIdentifier identifier) {
        Optional<TestIdentifier> holder = Optional.of(identifier);
        while (holder.isPresent()) {
            if (holder.get().getSource().orElse(null) instanceof ClassSource source) {
                for (Class<?> type = source.getJavaClass(); type != null; type = type.getEnclosingClass()) {
                    DeviceTests tests = type.getAnnotation(DeviceTests.class);
                    if (tests != null) {
                        return tests;
                    }
                }
            }
            holder = plan.getParent(holder.get());
        }
        return null;
    }

    @Override
    public void testPlanExecutionFinished(TestPlan finished) {
        if (file == null) {
            return;
        }
        synchronized (COUNTS) {
            try {
                new Tally(System.getProperty("tally.build", ""), Tally.sum(COUNTS)).write(Path.of(file));
            } catch (IOException e) {
                throw new UncheckedIOException("cannot write " + file, e);
            }
        }
    }
}
