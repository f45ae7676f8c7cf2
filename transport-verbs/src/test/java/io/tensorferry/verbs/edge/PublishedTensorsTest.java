package io.tensorferry.verbs.edge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.loop.UserCode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// What the consumer of an edge sees of arrivals and of the end.
@Timeout(value = 20, unit = TimeUnit.SECONDS)
class PublishedTensorsTest {
    private final PublishedTensors published = new PublishedTensors("edge", new UserCode(Runnable::run));
    private final TransportException cause = new TransportException(StatusCode.ABORTED, "closed");

    private void take(long sequence) {
        assertThat(published.poll()).isTrue();
        assertThat(published.next()).isEqualTo(sequence);
        published.took();
    }

    @Test
    void tensorsAreTakenInOrder() {
        assertThat(published.poll()).isFalse();
        published.publish(2);
        take(0);
        take(1);
        assertThat(published.poll()).isFalse();
        assertThat(published.taken()).isEqualTo(2);
        assertThatIllegalStateException().isThrownBy(published::next).withMessageContaining("no tensor has arrived");
    }

    @Test
    void theEndComesAfterTheTensorsThatArrivedBefore() {
        published.publish(1);
        published.end(1, cause);
        take(0);
        assertThat(published.poll()).isTrue();
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(published::next)
                .isSameAs(cause);
    }

    @Test
    void nothingIsPublishedAfterTheEnd() {
        published.end(0, cause);
        published.publish(1);
        published.end(1, new TransportException(StatusCode.INTERNAL, "another"));
        assertThat(published.isOpen()).isFalse();
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(published::next)
                .isSameAs(cause);
    }

    @Test
    void theActionRunsForEachArrivalAndForTheEnd() {
        var told = new AtomicInteger();
        published.onReady(told::incrementAndGet);
        published.tellIfReady();
        assertThat(told).hasValue(0);
        published.publish(1);
        published.publish(2);
        published.end(2, cause);
        assertThat(told).hasValue(3);
    }

    @Test
    void anActionThatIsSetLateRunsForEarlierArrivals() {
        var told = new AtomicInteger();
        published.publish(1);
        published.onReady(told::incrementAndGet);
        published.tellIfReady();
        assertThat(told).hasValue(1);
    }
}
