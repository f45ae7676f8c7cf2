package io.tensorferry.verbs.device.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class NetworkNamespaceTest {
    private static final String GID_3 = "sys/class/infiniband/mlx5_0/ports/1/gid_attrs/ndevs/3";
    private static final String DEVICES = """
            Inter-|   Receive                                                |  Transmit
             face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
                lo: 6424820   14107    0    0    0     0          0         0  6424820   14107    0    0
              eth0: 1295313    2201    0    0    0     0          0         0   263912    2200    0    0
            """;

    @TempDir
    Path root;

    @BeforeEach
    void write() throws IOException {
        file("proc/self/net/dev", DEVICES);
        file("sys/class/net/eth0/ifindex", "7\n");
        file(GID_3, "eth0\n");
    }

    private void file(String name, String text) throws IOException {
        Path path = root.resolve(name);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private @Nullable String obstacle(int interfaceNumber) {
        return new NetworkNamespace(root).obstacle("mlx5_0", 1, 3, interfaceNumber);
    }

    @Test
    void aNetworkDeviceOfThisNamespaceIsNoObstacle() {
        assertThat(obstacle(7)).isNull();
        assertThat(obstacle(0)).as("an unknown interface index").isNull();
    }

    @Test
    void aNetworkDeviceOfAnotherNamespaceIsOne() throws IOException {
        file(GID_3, "eth\n");
        assertThat(obstacle(9)).isEqualTo("its network device eth is not in this network namespace");
    }

    /// Each container has an `eth0`.
    @Test
    void anotherNetworkDeviceOfTheSameNameIsOne() {
        assertThat(obstacle(2))
                .isEqualTo("its network device eth0 is in another network namespace and is not the eth0 of this one");
    }

    /// The kernel answers with EINVAL; a folder cannot be read either.
    @Test
    void anEntryWithoutANetworkDeviceIsOne() throws IOException {
        Files.delete(root.resolve(GID_3));
        Files.createDirectories(root.resolve(GID_3));
        assertThat(obstacle(0)).isEqualTo("it has no network device");
    }

    @Test
    void whereTheKernelDoesNotTellThereIsNone() throws IOException {
        Files.delete(root.resolve(GID_3));
        assertThat(obstacle(9)).isNull();
    }

    @Test
    void withoutProcTheFilesOfSysAreLookedAt() throws IOException {
        Files.delete(root.resolve("proc/self/net/dev"));
        assertThat(obstacle(7)).isNull();
        file(GID_3, "eth1\n");
        assertThat(obstacle(9)).isEqualTo("its network device eth1 is not in this network namespace");
    }
}
