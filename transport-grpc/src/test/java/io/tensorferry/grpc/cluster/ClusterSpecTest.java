package io.tensorferry.grpc.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(10)
class ClusterSpecTest {
    @Test
    void namesEveryWorkerByJobAndTask() {
        var cluster = ClusterSpec.of(Map.of("ps", List.of("a:1"), "worker", List.of("b:1", "b:2")));

        assertThat(cluster.jobs()).containsExactly("ps", "worker");
        assertThat(cluster.tasks("worker")).containsExactly(0, 1);
        assertThat(cluster.workers())
                .containsExactly(
                        "/job:ps/replica:0/task:0", "/job:worker/replica:0/task:0", "/job:worker/replica:0/task:1");
        assertThat(cluster.address("worker", 1)).isEqualTo("b:2");
    }

    @Test
    void keepsTasksThatAreNumberedWithGaps() {
        var cluster = ClusterSpec.ofTasks(Map.of("worker", Map.of(0, "a:1", 3, "a:2")));

        assertThat(cluster.tasks("worker")).containsExactly(0, 3);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.address("worker", 1))
                .withMessage("job 'worker' has no task 1; its tasks are [0, 3]");
    }

    @Test
    void isEqualToOneWithTheSameWorkers() {
        var one = ClusterSpec.of(Map.of("worker", List.of("a:1")));
        var other = ClusterSpec.ofTasks(Map.of("worker", Map.of(0, "a:1")));

        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other).hasToString("{worker={0=a:1}}");
        assertThat(one).isNotEqualTo(ClusterSpec.of(Map.of("worker", List.of("a:2"))));
    }

    @Test
    void takesIpv6AddressesInBrackets() {
        var cluster = ClusterSpec.of(Map.of("worker", List.of("[::1]:2222")));

        assertThat(cluster.addressOf("worker", 0)).isEqualTo(new WorkerAddress("::1", 2222));
        assertThat(cluster.address("worker", 0)).isEqualTo("[::1]:2222");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "host",
                "host:",
                ":2222",
                "host:port",
                "host:-1",
                "::1:2222",
                "a b:1",
                "host:1/x",
                "http://h:1"
            })
    void refusesAnAddressThatIsNotHostAndPort(String address) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.of(Map.of("worker", List.of("a:1", address))))
                .withMessageContaining("'" + address + "' of task 1 of job 'worker'")
                .withMessageContaining("host:port");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 65_536, 999_999_999})
    void refusesAPortThatNobodyCanDial(int port) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.of(Map.of("ps", List.of("host:" + port))))
                .withMessageContaining("port " + port)
                .withMessageContaining("task 0 of job 'ps'")
                .withMessageContaining("1..65535");
    }

    @ParameterizedTest
    @CsvSource({"'',letter", "1st,letter", "a/b,letter", "a b,letter"})
    void refusesAJobNameThatNoDeviceNameCanHold(String job, String hint) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.of(Map.of(job, List.of("a:1"))))
                .withMessageContaining("job name '" + job + "'")
                .withMessageContaining(hint);
    }

    @Test
    void refusesAnEmptyClusterAnEmptyJobAndANegativeTask() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.of(Map.of()))
                .withMessageContaining("no job");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.of(Map.of("ps", List.of())))
                .withMessageContaining("job 'ps' has no task");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.ofTasks(Map.of("ps", Map.of(-1, "a:1"))))
                .withMessageContaining("task -1 of job 'ps'");
    }

    @Test
    void refusesTwoWorkersAtOneAddress() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.of(Map.of("ps", List.of("a:1"), "worker", List.of("a:1"))))
                .withMessage("address 'a:1' is given to both /job:ps/replica:0/task:0 and /job:worker/replica:0/task:0;"
                        + " each needs its own");
    }

    @Test
    void namesTheJobsThatThereAre() {
        var cluster = ClusterSpec.of(Map.of("worker", List.of("a:1")));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> cluster.address("chief", 0))
                .withMessage("the cluster has no job 'chief'; its jobs are [worker]");
    }
}
