package io.tensorferry.it.benchmark.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.it.process.FreePorts;
import io.tensorferry.verbs.statistics.ChannelDescription;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// That what a path's name says reaches its channels.
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TunedServersTest {
    @ParameterizedTest
    @EnumSource(names = {"VERBS", "BUSY"})
    void theirChannelsAreAsTheKnobsSay(Variant variant) throws Exception {
        Knobs knobs = Knobs.parse(List.of("lanes=2", "stripe=256KiB"));
        List<Integer> ports = FreePorts.pick(2);
        try (var _ = RendezvousProducer.open(variant, knobs, ports);
                var consumer = RendezvousConsumer.open(variant, knobs, ports)) {
            List<ChannelDescription> channels = consumer.server().channels();

            assertThat(channels).hasSize(1);
            // The control queue pair too.
            assertThat(channels.getFirst().queuePairs()).hasSize(3);
            assertThat(channels.getFirst().stripeBytes()).isEqualTo(256 << 10);
        }
    }
}
