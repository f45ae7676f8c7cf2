package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class GrpcLogTest {
    private final Logger grpc = Logger.getLogger("io.grpc");

    @AfterEach
    void restore() {
        for (var handler : grpc.getHandlers()) {
            grpc.removeHandler(handler);
        }
        grpc.setUseParentHandlers(true);
        grpc.setLevel(null);
    }

    @Test
    void linesOfGrpcGoToSlf4jOnceAndNowhereElse() {
        GrpcLog.toSlf4j();
        GrpcLog.toSlf4j();
        try (LogLines lines = LogLines.of("io.grpc.internal.Something")) {
            Logger.getLogger("io.grpc.internal.Something")
                    .log(Level.WARNING, "{0} of {1}", new Object[] {"this", "it"});
            assertThat(lines.warnings()).containsExactly("this of it");
        }
        assertThat(grpc.getUseParentHandlers()).isFalse();
    }
}
