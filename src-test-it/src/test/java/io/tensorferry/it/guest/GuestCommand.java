package io.tensorferry.it.guest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// What to run. For one thread.
public final class GuestCommand {
    private static final Duration BOOT_LIMIT = Duration.ofSeconds(60);
    private static final Duration END_LIMIT = Duration.ofSeconds(10);

    private final String name;
    private final List<String> command;
    private final List<String> options = new ArrayList<>();
    private @Nullable String netem;
    private Duration limit = Duration.ofMinutes(5);
    private boolean onHost;
    private @Nullable Consumer<String> reader;

    GuestCommand(String name, List<String> command) {
        this.name = name;
        this.command = command;
    }

    /// Two namespaces, `host1` and `host2`, that stand for two machines.
    public GuestCommand twoHosts() {
        options.addAll(List.of("--hosts", "2"));
        return this;
    }

    /// The devices' active MTU, in bytes.
    public GuestCommand mtu(int bytes) {
        options.addAll(List.of("--mtu", Integer.toString(bytes)));
        return this;
    }

    /// What happens to packets between two hosts, as tc-netem has it: `loss 1%`.
    public GuestCommand netem(String effects) {
        netem = effects;
        return this;
    }

    /// How long the command may take; 5 minutes unless told.
    public GuestCommand limit(Duration limit) {
        this.limit = limit;
        return this;
    }

    /// Who gets the lines of standard output, on a thread of its own, instead of [GuestResult#output].
    public GuestCommand reader(Consumer<String> reader) {
        this.reader = reader;
        return this;
    }

    GuestCommand onHost() {
        onHost = true;
        return this;
    }

    /// Runs it and waits for its end, which `limit` bounds.
    ///
    /// The error stream is kept in a file under `target/guest`.
    public GuestResult run() {
        Path log = Guest.LOGS.resolve(name + ".log");
        var output = new ArrayList<String>();
        Consumer<String> lines = reader == null ? output::add : reader;
        try {
            Files.createDirectories(Guest.LOGS);
            Process process = builder(log).start();
            try {
                process.getOutputStream().close();
                Thread reading = Thread.ofPlatform()
                        .daemon()
                        .name("output of " + name)
                        .start(() -> process.inputReader(StandardCharsets.UTF_8)
                                .lines()
                                .forEach(lines));
                boolean ended = process.waitFor(limit.plus(BOOT_LIMIT).toMillis(), TimeUnit.MILLISECONDS);
                if (!ended) {
                    end(process);
                }
                reading.join(END_LIMIT);
                return new GuestResult(ended ? process.exitValue() : GuestResult.TIMED_OUT, output, log);
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot run " + name, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + name + " ran", e);
        }
    }

    private static void end(Process process) throws InterruptedException {
        // With SIGTERM, on which rdma-guest ends its guest. Not by Process.destroy(), which also closes what is being
        // read.
        process.toHandle().destroy();
        process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private ProcessBuilder builder(Path log) {
        var words = new ArrayList<String>();
        if (!onHost) {
            words.add(Guest.SCRIPT.toString());
            words.addAll(options);
            words.add("--");
        }
        words.addAll(command);
        var builder = new ProcessBuilder(words).directory(Guest.MODULE.toFile()).redirectError(log.toFile());
        var environment = builder.environment();
        environment.put("RDMA_GUEST_TIMEOUT", Long.toString(limit.toSeconds()));
        // The class path has the other modules' directories, and the project may lie in what the guest hides.
        environment.put("RDMA_GUEST_RW", Guest.MODULE.getParent().toString());
        if (netem != null) {
            environment.put("RDMA_GUEST_NETEM", netem);
        }
        return builder;
    }
}
