package io.tensorferry.it.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.guest.Guest;
import io.tensorferry.it.guest.GuestCommand;
import io.tensorferry.it.guest.GuestResult;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/// A worker of this library and the worker in Python, which exchange the tensors of the plan in one guest. For one
/// thread, one run.
final class PeerPair {
    private static final Path PLAN = Path.of("interop/plan.txt");
    private static final int STEPS = 3;
    private static final int SECONDS = 90;
    // The processes end by themselves before the guest ends them.
    private static final Duration GUEST_LIMIT = Duration.ofSeconds(SECONDS + 20);

    private final String name;
    private final int javaTask;
    private final List<String> javaOptions = new ArrayList<>();
    // Of one life of the worker after the other.
    private final List<List<String>> pythonOptions = new ArrayList<>();
    private boolean twoHosts;
    private String netem = "";
    private OptionalInt carriedByPython = OptionalInt.empty();

    /// @param name of the run's files
    /// @param javaTask the task number of the Java worker, 0 or 1; it decides whose offer stands when both dial
    PeerPair(String name, int javaTask) {
        this.name = name;
        this.javaTask = javaTask;
    }

    /// What the Java worker is told, as [PeerWorker] has it.
    PeerPair java(String... options) {
        javaOptions.addAll(List.of(options));
        return this;
    }

    /// Adds a life of the Python worker, with these options of `peer.py`.
    PeerPair python(String... options) {
        pythonOptions.add(List.of(options));
        return this;
    }

    /// The Python worker dials, and the Java worker does nothing before that: so it answers.
    PeerPair pythonDials(String... options) {
        String connected = "/tmp/connected-" + pythonOptions.size();
        java("--after", connected);
        var all = new ArrayList<>(List.of("--role", "dial", "--connected-file", connected));
        all.addAll(List.of(options));
        return python(all.toArray(String[]::new));
    }

    /// Each worker on a host of its own; the cable does this to packets.
    PeerPair twoHosts(String netem) {
        this.twoHosts = true;
        this.netem = netem;
        return this;
    }

    /// Up to which size each worker puts contents into messages; 0 for none.
    PeerPair carried(int javaBytes, int pythonBytes) {
        carriedByPython = OptionalInt.of(pythonBytes);
        return java("--ring-content-bytes", Integer.toString(javaBytes));
    }

    /// Runs both to their end and checks that each has received everything.
    PeerReport run() throws IOException {
        GuestCommand command = Guest.command("python-" + name, command()).limit(GUEST_LIMIT);
        if (twoHosts) {
            command.twoHosts().netem(netem);
        }
        GuestResult result = command.run();
        String story = String.join("\n", result.output()) + "\nerror stream:" + result.logTail();
        assertThat(result.status()).as(story).isZero();

        int perLife = 1 + tensorsOfPlan();
        int lives = pythonOptions.size();
        assertThat(result.output())
                .as(story)
                .contains("1: OK " + lives * perLife + " tensors", "1: device " + device(javaTask));
        var report = new PeerReport(printedBy(1, result), printedBy(2, result));
        assertThat(report.python())
                .as(story)
                .filteredOn(line -> line.equals("OK " + perLife + " tensors"))
                .hasSize(lives);
        return report;
    }

    private static List<String> printedBy(int number, GuestResult result) {
        return result.output().stream()
                .filter(line -> line.startsWith(number + ": "))
                .map(line -> line.substring(3))
                .toList();
    }

    private int tensorsOfPlan() throws IOException {
        PeerPlan plan = PeerPlan.read(PLAN);
        return IntStream.rangeClosed(1, STEPS)
                .map(step -> plan.items(step, javaTask).size())
                .sum();
    }

    private List<String> command() {
        var command = new ArrayList<>(List.of("interop/pair"));
        command.addAll(java());
        command.addAll(List.of("--and--", "bash", "-c"));
        command.add(String.join(
                " && ",
                pythonOptions.stream()
                        .map(options -> String.join(" ", python(options)))
                        .toList()));
        return command;
    }

    private List<String> java() {
        var java = onHost(javaTask);
        java.addAll(List.of(
                "env",
                "RDMA_DEVICE=" + device(javaTask),
                "RDMA_ALLOW_INSECURE=true",
                "TF_CONFIG={\"cluster\": {\"worker\": [\"%s\", \"%s\"]}, \"task\": {\"type\": \"worker\", \"index\": %d}}"
                        .formatted(address(0), address(1), javaTask)));
        var arguments = new ArrayList<>(List.of("--peer", worker(1 - javaTask), "--plan", PLAN.toString()));
        arguments.addAll(List.of("--steps", Integer.toString(STEPS), "--timeout", Integer.toString(SECONDS)));
        arguments.addAll(javaOptions);
        java.addAll(Guest.java(PeerWorker.class, List.of(), arguments));
        return java;
    }

    private List<String> python(List<String> options) {
        int task = 1 - javaTask;
        var python = onHost(task);
        python.addAll(List.of(PythonPackages.PYTHON, "-B", "interop/python/peer.py"));
        python.addAll(List.of("--cluster", "worker:0=%s,worker:1=%s".formatted(address(0), address(1))));
        python.addAll(List.of("--task", worker(task), "--peer", worker(javaTask), "--plan", PLAN.toString()));
        python.addAll(List.of("--steps", Integer.toString(STEPS), "--timeout", Integer.toString(SECONDS)));
        python.addAll(List.of("--device", device(task)));
        carriedByPython.ifPresent(bytes -> python.addAll(List.of("--carried-bytes", Integer.toString(bytes))));
        python.addAll(options);
        return python;
    }

    private List<String> onHost(int task) {
        var words = new ArrayList<String>();
        if (twoHosts) {
            words.addAll(List.of("ip", "netns", "exec", "host" + (task + 1)));
        }
        return words;
    }

    private String device(int task) {
        return twoHosts ? "rxe" + (task + 1) : Guest.DEVICE;
    }

    private String address(int task) {
        return (twoHosts ? "10.97.0." + (task + 1) : "127.0.0.1") + ":" + (7001 + task);
    }

    private static String worker(int task) {
        return "worker:" + task;
    }
}
