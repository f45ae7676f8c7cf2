package io.tensorferry.verbs.device.ibverbs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The network devices of this process' network namespace, read from the kernel's files, to check the network devices
/// of GIDs.
///
/// A container has fewer of them than its host, and the same name may denote different devices: each network namespace
/// may have an `eth0`. The interface numbers are therefore compared too. If the kernel does not provide the
/// information, the GID is accepted.
///
/// Threading: any thread.
final class NetworkNamespace {
    /// The network namespace of this process.
    static final NetworkNamespace OWN = new NetworkNamespace(Path.of("/"));

    private static final Logger LOG = LoggerFactory.getLogger(NetworkNamespace.class);
    private static final int HEADLINES = 2;

    private final Path root;

    /// @param root the directory that contains `proc` and `sys`
    NetworkNamespace(Path root) {
        this.root = root;
    }

    /// Returns the reason why a queue pair of this process cannot send from a GID table entry of a RoCE port, or null.
    ///
    /// @param interfaceNumber number of the entry's network device in the device's namespace; 0 if unknown
    @Nullable
    String obstacle(String device, int port, int index, int interfaceNumber) {
        String name;
        try {
            name = read("sys/class/infiniband/" + device + "/ports/" + port + "/gid_attrs/ndevs/" + index);
        } catch (NoSuchFileException | AccessDeniedException e) {
            LOG.debug("cannot read the network device of GID {} of {}", index, device, e);
            return null;
        } catch (IOException e) {
            // The kernel rejects reading the file of an entry without a network device.
            LOG.debug("GID {} of {} has no network device", index, device, e);
            return "it has no network device";
        }
        if (!isHere(name)) {
            return "its network device " + name + " is not in this network namespace";
        }
        int own = numberOf(name);
        return own == 0 || interfaceNumber == 0 || own == interfaceNumber
                ? null
                : "its network device " + name + " is in another network namespace and is not the " + name
                        + " of this one";
    }

    private boolean isHere(String name) {
        List<String> lines;
        try {
            // Unlike /sys, this file never describes another namespace.
            lines = Files.readAllLines(root.resolve("proc/self/net/dev"), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            LOG.debug("cannot read the network devices of this process", e);
            return Files.exists(root.resolve("sys/class/net").resolve(name));
        }
        return lines.stream().skip(HEADLINES).anyMatch(line -> line.strip().startsWith(name + ":"));
    }

    /// Returns 0 if the number is unknown.
    private int numberOf(String name) {
        try {
            return Integer.parseInt(read("sys/class/net/" + name + "/ifindex"));
        } catch (IOException | NumberFormatException e) {
            LOG.debug("cannot read the interface index of the network device {}", name, e);
            return 0;
        }
    }

    private String read(String file) throws IOException {
        return Files.readString(root.resolve(file), StandardCharsets.ISO_8859_1).strip();
    }
}
