package io.tensorferry.verbs.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.api.edge.EdgeReceiver;
import java.util.concurrent.CompletableFuture;

/// How ends of edges tell of a failure.
final class EdgeChecks {
    private EdgeChecks() {}

    static void assertFailed(Scenario scenario, CompletableFuture<Void> future, StatusCode code, String why) {
        scenario.await(future::isDone, "it fails");
        assertThat(future).isCompletedExceptionally();
        assertThat(future.exceptionNow()).isInstanceOfSatisfying(TransportException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e).hasMessageContaining(why);
        });
    }

    static void assertTakeFails(EdgeReceiver receiver, StatusCode code, String why) {
        assertThat(receiver.poll()).isTrue();
        assertThatThrownBy(receiver::take).isInstanceOfSatisfying(TransportException.class, e -> {
            assertThat(e.code()).isEqualTo(code);
            assertThat(e).hasMessageContaining(why);
        });
    }
}
