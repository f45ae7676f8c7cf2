package io.tensorferry.it.guest;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicNode;

/// Test classes that run in one JVM in a guest of its own, and become tests here.
///
/// There the properties of [io.tensorferry.it.process.Place] name device, address and processor for each process: all
/// on one device, or in turn on two hosts. For one thread.
final class SuiteInGuest {
    private static final List<String> ONE_HOST =
            List.of("-Drdma.device=" + Guest.DEVICE, "-Drdma.host=" + Guest.ADDRESS, "-Dit.pin=0,1");
    private static final List<String> TWO_HOSTS = List.of(
            "-Drdma.device=rxe1,rxe2", "-Drdma.host=10.97.0.1,10.97.0.2", "-Dit.netns=host1,host2", "-Dit.pin=0,1");

    private final String name;
    private final List<String> jvmArguments = new ArrayList<>();
    private boolean twoHosts;
    private int mtu;
    private @Nullable String netem;
    private Duration limit = Duration.ofMinutes(5);

    private SuiteInGuest(String name) {
        this.name = name;
    }

    /// What tells a JVM in the guest, and the processes that it starts, to use its one device.
    static List<String> oneHost() {
        return ONE_HOST;
    }

    /// @param name of the run's files under `target/guest`
    static SuiteInGuest named(String name) {
        return new SuiteInGuest(name);
    }

    /// As [GuestCommand#twoHosts()].
    SuiteInGuest twoHosts() {
        twoHosts = true;
        return this;
    }

    /// As [GuestCommand#mtu].
    SuiteInGuest mtu(int bytes) {
        mtu = bytes;
        return this;
    }

    /// As [GuestCommand#netem].
    SuiteInGuest netem(String effects) {
        netem = effects;
        return this;
    }

    /// More arguments of the virtual machine that runs the tests.
    SuiteInGuest jvmArguments(String... more) {
        jvmArguments.addAll(List.of(more));
        return this;
    }

    /// Gives the tests a system property of this process, if it is set here.
    SuiteInGuest passOn(String property) {
        String value = System.getProperty(property);
        return value == null ? this : jvmArguments("-D" + property + "=" + value);
    }

    /// How long all of them together may take.
    SuiteInGuest limit(Duration limit) {
        this.limit = limit;
        return this;
    }

    /// Runs them, and returns what became of each test; where the guest cannot run, one test that is skipped.
    List<DynamicNode> run(String... testClasses) {
        if (!Guest.isThere()) {
            // A test of its own: one that makes tests, when it is skipped, is not in Maven's report.
            return List.of(dynamicTest("the guest is there", Guest::assumeThere));
        }
        var arguments = new ArrayList<>(twoHosts ? TWO_HOSTS : ONE_HOST);
        arguments.addAll(jvmArguments);
        GuestCommand command = Guest.command(name, Guest.java(GuestSuite.class, arguments, List.of(testClasses)))
                .limit(limit);
        if (twoHosts) {
            command.twoHosts();
        }
        if (mtu > 0) {
            command.mtu(mtu);
        }
        if (netem != null) {
            command.netem(netem);
        }
        var replay = new SuiteReplay();
        var otherLines = new ArrayList<String>();
        GuestResult result = command.reader(line -> {
                    if (!replay.accept(line)) {
                        otherLines.add(line);
                    }
                })
                .run();
        return replay.tests("status " + result.status() + ", standard output:\n  " + String.join("\n  ", otherLines)
                + "\nerror stream:" + result.logTail());
    }
}
