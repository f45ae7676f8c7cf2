package io.tensorferry.it.guest;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.tensorferry.it.guest.SuiteEvent.Kind;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.opentest4j.TestAbortedException;

/// Makes tests of what [GuestSuite] has said: each ends as it did there, and has its name.
///
/// For one thread.
final class SuiteReplay {
    /// A test or what holds tests. Null `end`: it began, and no more is known.
    private static final class Node {
        private final SuiteEvent start;
        private final List<Node> children = new ArrayList<>();
        private @Nullable SuiteEvent end;

        private Node(SuiteEvent start) {
            this.start = start;
        }

        private boolean has(Kind kind) {
            return end != null && end.kind() == kind;
        }
    }

    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private boolean complete;

    /// Takes a line of the guest's standard output.
    ///
    /// @return whether it was one of [GuestSuite]'s
    boolean accept(String line) {
        SuiteEvent event = SuiteEvent.ofLine(line);
        if (event == null) {
            return false;
        }
        if (event.kind() == Kind.END) {
            complete = true;
            return true;
        }
        Node node = nodes.get(event.id());
        if (node == null) {
            node = new Node(event);
            nodes.put(event.id(), node);
            Node parent = event.parent() == null ? null : nodes.get(event.parent());
            if (parent != null) {
                parent.children.add(node);
            }
        }
        if (event.kind() != Kind.STARTED) {
            node.end = event;
        }
        return true;
    }

    /// The tests. If the guest has not come to the end of them, one more, which fails.
    ///
    /// @param ending what is to be said of a guest that has not
    List<DynamicNode> tests(String ending) {
        var tests = new ArrayList<DynamicNode>();
        for (Node node : nodes.values()) {
            if (node.start.parent() == null) {
                tests.addAll(contentOf(node, ""));
            }
        }
        if (!complete) {
            tests.add(dynamicTest("the guest came to the end", () -> {
                throw new AssertionError("the guest ended " + where() + "; " + ending);
            }));
        } else if (nodes.values().stream()
                .noneMatch(node -> node.has(Kind.FAILED) || (node.start.test() && node.has(Kind.PASSED)))) {
            // Here a class that finds an assumption unfulfilled has been given the wrong properties.
            tests.add(dynamicTest("the guest ran a test", () -> {
                throw new AssertionError("the guest has found no test to run, or has run none; " + ending);
            }));
        }
        return tests;
    }

    private String where() {
        return nodes.values().stream()
                .filter(node -> node.start.test() && node.end == null)
                .map(node -> "in the middle of " + node.start.name() + " (" + node.start.id() + ")")
                .findFirst()
                .orElse("before all tests had run");
    }

    /// @param path the names of what holds the container
    private static List<DynamicNode> contentOf(Node container, String path) {
        var content = new ArrayList<DynamicNode>();
        for (Node child : container.children) {
            if (child.start.test()) {
                if (child.end != null) {
                    content.add(test(child, path, child.end));
                }
            } else {
                content.add(dynamicContainer(child.start.name(), contentOf(child, path + child.start.name() + " ")));
            }
        }
        // A container that failed or was skipped itself tells of tests that have not run.
        if (container.end != null && !container.has(Kind.PASSED)) {
            content.add(test(container, path, container.end));
        }
        return content;
    }

    private static DynamicTest test(Node node, String path, SuiteEvent end) {
        String source = node.start.source();
        return dynamicTest(
                node.start.name(),
                source == null ? null : URI.create(source),
                () -> become(path + node.start.name(), end));
    }

    private static void become(String name, SuiteEvent end) {
        switch (end.kind()) {
            case PASSED -> {}
            // With its name: Maven's list of failures has only numbers for tests that were made while tests ran.
            case FAILED -> throw new FailedInGuestError(name + ": " + end.trace());
            case ABORTED, SKIPPED ->
                throw new TestAbortedException(Objects.requireNonNullElse(end.reason(), "skipped"));
            case STARTED, END -> throw new IllegalStateException(end.toString());
        }
    }

    /// A failure in the guest. Its message is all that was printed of it there; its own stack would say nothing.
    private static final class FailedInGuestError extends AssertionError {
        private static final long serialVersionUID = 1;

        private FailedInGuestError(String trace) {
            super(trace);
            setStackTrace(new StackTraceElement[0]);
        }
    }
}
