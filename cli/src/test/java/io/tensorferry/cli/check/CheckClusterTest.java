package io.tensorferry.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.grpc.cluster.WorkerAddress;
import java.net.InetAddress;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CheckClusterTest {
    private static final WorkerAddress SERVER = new WorkerAddress("10.0.0.1", 7471);

    private static int task(String address) {
        return CheckCluster.taskOf(InetAddress.ofLiteral(address));
    }

    @Test
    void theServerKnowsEveryCallerByTheNameThatItHas() {
        ClusterSpec server = CheckCluster.ofServer(SERVER);
        assertThat(server.address("serve", 0)).isEqualTo("10.0.0.1:7471");
        assertThat(server.tasks("check")).hasSize(CheckCluster.CALLERS);
        for (String host : new String[] {"10.0.0.255", "10.0.255.255", "192.168.3.7", "fe80::ffff", "::1"}) {
            ClusterSpec caller = CheckCluster.ofCaller(SERVER, task(host), new WorkerAddress("127.0.0.1", 4000));
            assertThat(server.workers()).containsAll(caller.workers());
        }
    }

    @Test
    void theHostsOfASubnetHaveDifferentNumbers() {
        assertThat(IntStream.range(0, 1024).map(host -> task("10.1." + (host >> 8) + "." + (host & 255))))
                .doesNotHaveDuplicates()
                .hasSize(CheckCluster.CALLERS);
    }
}
