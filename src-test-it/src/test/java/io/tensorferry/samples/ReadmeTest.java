package io.tensorferry.samples;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.grpc.cluster.ClusterSpec;
import io.tensorferry.it.process.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ReadmeTest {
    private static final Path MODULE = Path.of(System.getProperty("basedir", "."));
    private static final String EXAMPLE = "src/main/java/io/tensorferry/samples/ReadmeExample.java";

    @Test
    void theExampleOfTheReadmeIsTheOneThatCompiles() throws IOException {
        String source = Files.readString(MODULE.resolve(EXAMPLE));
        String region = between(source, "    // README begins\n", "    // README ends\n");

        String block = between(Files.readString(MODULE.resolve("../README.md")), "```java\n", "```\n");

        assertThat(block).isEqualTo(region.replaceAll("(?m)^ {4}", ""));
    }

    @Test
    void theExampleMovesATensor() {
        List<Integer> ports = FreePorts.pick(2);
        var cluster = ClusterSpec.of(
                Map.of("ps", List.of("localhost:" + ports.get(0)), "worker", List.of("localhost:" + ports.get(1))));

        assertThat(ReadmeExample.ferry(cluster)).containsExactly(1, 2, 3, 4, 5, 6);
    }

    private static String between(String text, String begin, String end) {
        int from = text.indexOf(begin) + begin.length();
        int to = text.indexOf(end, from);
        assertThat(text).contains(begin);
        assertThat(to).as("the end of what begins with '%s'", begin.strip()).isPositive();
        return text.substring(from, to);
    }
}
