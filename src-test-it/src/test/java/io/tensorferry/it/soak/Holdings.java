package io.tensorferry.it.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What this process, and all users of a device together, hold at a moment. Each map has a count for a kind.
///
/// Not counted are the threads that the JVM itself starts and ends as it likes: compilers, collectors, carriers of
/// virtual threads, and the one that reaps children; nor the background threads of a transport, which come and go with
/// the work. `ThreadsTest` shows that they end with their transport.
///
/// @param deviceObjects as `rdma resource show` has them: `pd`, `cq`, `qp`, `mr`, `ctx` and others
/// @param deviceMappings pieces of the device's memory that are mapped into this process: queues and doorbells
/// @param descriptors open files by what they are: `socket`, `pipe`, `jar`, `anon_inode:[eventfd]` and others, or a
/// path
/// @param threads of the system, by name
/// @param virtualThreads alive, and not ended since they were started
public record Holdings(
        SortedMap<String, Integer> deviceObjects,
        int deviceMappings,
        SortedMap<String, Integer> descriptors,
        SortedMap<String, Integer> threads,
        int virtualThreads) {
    private static final Path PROCESS = Path.of("/proc/self");
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    // The system shortens names to 15 characters.
    private static final Pattern NOT_COUNTED = Pattern.compile(
            "(C# Compiler|GC Thread|G# |ForkJoinPool|VirtualThread|process reaper|Attach Listener|tensorferry-bac).*");
    private static final Duration INTERVAL = Duration.ofMillis(200);

    /// What is held now.
    ///
    /// @param device whose objects are counted; null for none
    public static Holdings now(@Nullable String device) {
        return new Holdings(
                RdmaResources.of(device), mappingsOfDevices(), openFiles(), systemThreads(), VirtualThreads.count());
    }

    /// What is held when nothing has changed for `quiet`: what was closed may end a moment later, on threads of its
    /// own.
    ///
    /// @throws IllegalStateException if it does not come to rest within `limit`
    public static Holdings atRest(@Nullable String device, Duration quiet, Duration limit) throws InterruptedException {
        long deadlineNs = System.nanoTime() + limit.toNanos();
        Holdings last = now(device);
        long sinceNs = System.nanoTime();
        while (System.nanoTime() - sinceNs < quiet.toNanos()) {
            Thread.sleep(INTERVAL);
            Holdings next = now(device);
            if (!next.equals(last)) {
                if (System.nanoTime() > deadlineNs) {
                    throw new IllegalStateException("no rest within " + limit + ": " + last + ", then " + next);
                }
                last = next;
                sinceNs = System.nanoTime();
            }
        }
        return last;
    }

    /// What `look` sees as soon as that is `expected`, or else after `limit`.
    public static <T> T await(T expected, Supplier<T> look, Duration limit) throws InterruptedException {
        long deadlineNs = System.nanoTime() + limit.toNanos();
        T held = look.get();
        while (!held.equals(expected) && System.nanoTime() < deadlineNs) {
            Thread.sleep(INTERVAL);
            held = look.get();
        }
        return held;
    }

    private static int mappingsOfDevices() {
        try (var lines = Files.lines(PROCESS.resolve("maps"))) {
            return (int) lines.filter(line -> line.contains("/dev/infiniband/")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SortedMap<String, Integer> openFiles() {
        return count("fd", entry -> kind(Files.readSymbolicLink(entry).toString()), kind -> !kind.endsWith("/fd"));
    }

    private static String kind(String target) {
        if (target.endsWith(".jar")) {
            return "jar";
        }
        int number = target.indexOf(":[");
        return number > 0 && !target.startsWith("anon_inode") ? target.substring(0, number) : target;
    }

    private static SortedMap<String, Integer> systemThreads() {
        return count(
                "task",
                entry -> NUMBER.matcher(Files.readString(entry.resolve("comm")).strip())
                        .replaceAll("#"),
                name -> !NOT_COUNTED.matcher(name).matches());
    }

    private interface Naming {
        String name(Path entry) throws IOException;
    }

    private static SortedMap<String, Integer> count(String directory, Naming naming, Predicate<String> counts) {
        var kinds = new TreeMap<String, Integer>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(PROCESS.resolve(directory))) {
            for (Path entry : entries) {
                try {
                    String kind = naming.name(entry);
                    if (counts.test(kind)) {
                        kinds.merge(kind, 1, Integer::sum);
                    }
                } catch (IOException e) {
                    // It may have ended since it was listed.
                    if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
                        throw e;
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return kinds;
    }
}
