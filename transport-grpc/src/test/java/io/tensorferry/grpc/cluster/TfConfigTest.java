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
class TfConfigTest {
    private static final String CLUSTER = "\"cluster\": {\"worker\": [\"a:1\", \"a:2\"]}";

    @Test
    void readsListsAndMapsOfAddresses() {
        var cluster = ClusterSpec.fromTfConfig(
                "{\"cluster\": {\"ps\": [\"p:1\"], \"worker\": {\"0\": \"w:1\", \"2\": \"w:2\"}}}");

        assertThat(cluster)
                .isEqualTo(ClusterSpec.ofTasks(Map.of("ps", Map.of(0, "p:1"), "worker", Map.of(0, "w:1", 2, "w:2"))));
    }

    @Test
    void readsWhichTaskThisIs() {
        var config = ServerConfig.fromTfConfig("{" + CLUSTER + ", \"task\": {\"type\": \"worker\", \"index\": 1}}");

        assertThat(config.cluster()).isEqualTo(ClusterSpec.of(Map.of("worker", List.of("a:1", "a:2"))));
        assertThat(config.workerName()).isEqualTo("/job:worker/replica:0/task:1");
        assertThat(config.protocol()).isEqualTo("grpc+verbs");
    }

    @Test
    void readsTheProtocolAndAnIndexThatIsWrittenAsText() {
        var config = ServerConfig.fromTfConfig(
                "{" + CLUSTER + ", \"rpc_layer\": \"grpc\", \"task\": {\"type\": \"worker\", \"index\": \"1\"}}");

        assertThat(config.protocol()).isEqualTo("grpc");
        assertThat(config.task()).isEqualTo(1);
    }

    @Test
    void readsTheEnvironmentVariable() {
        String json = "{" + CLUSTER + ", \"task\": {\"type\": \"worker\", \"index\": 0}}";

        assertThat(ServerConfig.from(Map.of("TF_CONFIG", json)).task()).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServerConfig.from(Map.of()))
                .withMessageContaining("TF_CONFIG is not set");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServerConfig.from(Map.of("TF_CONFIG", " ")))
                .withMessageContaining("TF_CONFIG is not set");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "not json",
                "{\"cluster\": {}} x",
                "{'cluster': {}}",
                "{\"cluster\": {\"w\": [\"a:1\",]}}"
            })
    void refusesWhatIsNotJson(String json) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.fromTfConfig(json))
                .withMessageContaining("TF_CONFIG")
                .withMessageContaining("the form is")
                .satisfies(e -> assertThat(e.getMessage())
                        .doesNotContainIgnoringCase("gson")
                        .doesNotContain("JsonReader", "Exception")
                        .hasLineCount(1));
    }

    @Test
    void saysWhereTheTextIsNotJson() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.fromTfConfig("{\n\"cluster\": {\"w\": [\"a:1\"}}"))
                .withMessageStartingWith(
                        "TF_CONFIG is not JSON at line 2, column 25 (field 'cluster.w[1]'); the form is");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.fromTfConfig("{"))
                .withMessageStartingWith("TF_CONFIG is not JSON: it ends too early, at line 1, column 2; the form is");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]|the text is []; it must be an object",
                "{}|field 'cluster' is missing",
                "{\"cluster\": []}|field 'cluster' is []; it must be an object",
                "{\"cluster\": {}}|the cluster has no job",
                "{\"cluster\": {\"worker\": \"a:1\"}}|field 'cluster.worker' is \"a:1\"; it must be a list",
                "{\"cluster\": {\"worker\": [1]}}|field 'cluster.worker', element 0 is 1; it must be a string",
                "{\"cluster\": {\"worker\": {\"x\": \"a:1\"}}}|field 'cluster.worker', key 'x' is 'x'; it must be a task's number",
                "{\"cluster\": {\"worker\": {\"-1\": \"a:1\"}}}|it must be a task's number, 0 or more",
                "{\"cluster\": {\"worker\": [\"a\"]}}|address 'a' of task 0 of job 'worker'",
            })
    void namesTheFieldOfTheClusterThatIsWrong(String json, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ClusterSpec.fromTfConfig(json))
                .withMessageContaining("TF_CONFIG")
                .withMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"x\": 1|field 'task' is missing",
                "\"task\": 1|field 'task' is 1; it must be an object",
                "\"task\": {\"type\": \"worker\"}|it must be {\"type\": \"worker\", \"index\": 0}",
                "\"task\": {\"type\": 1, \"index\": 0}|field 'task.type' is 1; it must be a string",
                "\"task\": {\"type\": \"worker\", \"index\": []}|field 'task.index' is []; it must be a number",
                "\"task\": {\"type\": \"worker\", \"index\": -1}|field 'task.index' is '-1'",
                "\"task\": {\"type\": \"worker\", \"index\": 2}|job 'worker' has no task 2; its tasks are [0, 1]",
                "\"task\": {\"type\": \"chief\", \"index\": 0}|the cluster has no job 'chief'; its jobs are [worker]",
                "\"task\": {\"type\": \"worker\", \"index\": 0}, \"rpc_layer\": \"mpi\"|it must be 'grpc+verbs' or 'grpc'",
                "\"task\": {\"type\": \"worker\", \"index\": 0}, \"rpc_layer\": 1|field 'rpc_layer' is 1",
            })
    void namesTheFieldOfTheTaskThatIsWrong(String fields, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServerConfig.fromTfConfig("{" + CLUSTER + ", " + fields + "}"))
                .withMessageContaining("TF_CONFIG")
                .withMessageContaining(message);
    }
}
