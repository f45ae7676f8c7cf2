package io.tensorferry.it.contract.rendezvous;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tensorferry.it.process.Place;
import io.tensorferry.it.tally.DeviceTests;
import io.tensorferry.it.tally.DeviceTests.On;
import io.tensorferry.verbs.config.RelaxedOrdering;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.ibverbs.IbverbsOptions;
import io.tensorferry.verbs.device.ibverbs.IbverbsProvider;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Tensors between workers whose memory is registered with relaxed ordering, which a user chooses with the provider.
@DeviceTests(kind = "rendezvous", on = On.NAMED)
@Timeout(value = 60, unit = TimeUnit.SECONDS)
@Tag("variant")
class IbverbsRelaxedOrderingRendezvousTest {
    private static final List<VerbsProvider> PROVIDERS =
            List.of(new IbverbsProvider(IbverbsOptions.defaults().withRelaxedOrdering(RelaxedOrdering.ON)));
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @Test
    void tensorsArriveWhole() throws InterruptedException {
        String device = Place.of(0).device();
        assumeTrue(
                device != null && !device.equals(SoftwareProvider.DEVICE),
                "no RDMA device is named: -Drdma.device=NAME runs this on one");
        Workers workers = Workers.start(Protocol.VERBS, 2, 0);
        try (var producer = workers.builder(0).verbsProviders(PROVIDERS).start();
                var consumer = workers.builder(1).verbsProviders(PROVIDERS).start()) {
            for (int step = 1; step <= 3; step++) {
                for (long size : List.of(1L, 4096L, 1_000_003L, 16L << 20)) {
                    var key = workers.key(0, 1, "of " + size);
                    producer.rendezvous(step).send(key, Contents.bytes(producer.allocator(), size, size + step));
                    Contents.checkBytes(consumer.rendezvous(step).recv(key, LIMIT), size, size + step);
                }
            }
        }
    }
}
