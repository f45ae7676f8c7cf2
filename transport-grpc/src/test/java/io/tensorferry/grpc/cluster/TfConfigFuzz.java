package io.tensorferry.grpc.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/// Any text as `TF_CONFIG`: a cluster, or an [IllegalArgumentException] that names the variable.
@Timeout(value = 5, unit = TimeUnit.SECONDS)
class TfConfigFuzz {
    @FuzzTest
    void anyTextIsAClusterOrRefused(byte[] utf8) {
        String text = new String(utf8, StandardCharsets.UTF_8);
        try {
            ClusterSpec cluster = ClusterSpec.fromTfConfig(text);
            assertThat(ClusterSpec.fromTfConfig(text)).isEqualTo(cluster);
            assertThat(ServerConfig.fromTfConfig(text).cluster()).isEqualTo(cluster);
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("TF_CONFIG");
        }
    }
}
