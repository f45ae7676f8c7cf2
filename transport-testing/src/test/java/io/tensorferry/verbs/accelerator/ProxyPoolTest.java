package io.tensorferry.verbs.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.choice.DeviceChoice;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.memory.SlabSource;
import io.tensorferry.verbs.memory.SlabStorage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A pool of 8 pages; the test is its loop and its workers.
@Timeout(30)
class ProxyPoolTest {
    private static final long PAGE = 4096;
    private static final long MOST = 8 * PAGE;

    private final ProtectionDomain domain = DeviceChoice.choose(
                    RdmaConfig.builder().build(), List.of(new SimulatedFabric(1).provider("node")))
            .device()
            .allocateProtectionDomain();
    private final RegisteredMemory memory = new RegisteredMemory(domain, MemoryOptions.defaults());
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final List<String> served = new ArrayList<>();
    private TransportException refusal;
    private final ProxyPool pool = pool(bytes -> slab(bytes));

    private ProxyPool pool(SlabSource source) {
        return new ProxyPool(memory.openPool(source, new MemoryOptions(2 * PAGE, MOST)), tasks::add, tasks::add, MOST);
    }

    private SlabStorage slab(long bytes) {
        if (refusal != null) {
            throw refusal;
        }
        return memory.hostSlabs().open(bytes);
    }

    @AfterEach
    void closeEverything() {
        memory.close();
        domain.close();
    }

    private void work() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    /// Records the result of its wait.
    private final class Waiter implements ProxyWaiter {
        private final String name;
        private Proxy proxy;
        private boolean given;
        private TransportException failure;

        private Waiter(String name) {
            this.name = name;
        }

        @Override
        public void onProxy(Proxy given) {
            assertThat(proxy).isNull();
            proxy = given;
            served.add(name);
        }

        @Override
        public void onNoProxy(TransportException cause) {
            failure = cause;
        }
    }

    private Waiter ask(long bytes, String peer, String name) {
        var waiter = new Waiter(name);
        pool.acquire(bytes, peer, waiter);
        work();
        return waiter;
    }

    @Test
    void aProxyIsRegisteredMemoryOfTheSizeThatWasAskedFor() {
        Waiter waiter = ask(1000, "a", "first");
        assertThat(waiter.proxy.byteSize()).isEqualTo(1000);
        assertThat(waiter.proxy.segment().byteSize()).isEqualTo(1000);
        assertThat(waiter.proxy.segment().address()).isEqualTo(waiter.proxy.address());
        assertThat(memory.regionOf(waiter.proxy.address(), 1000)).isSameAs(waiter.proxy.region());
        assertThat(pool.bytesInUse()).isEqualTo(1000);
        waiter.proxy.close();
        waiter.proxy.close();
        assertThat(pool.bytesInUse()).isZero();
        assertThat(pool.highWaterBytes()).isEqualTo(1000);
        assertThatIllegalArgumentException().isThrownBy(() -> pool.acquire(0, "a", waiter));
    }

    @Test
    void whoFindsNoneIsServedInTheOrderOfAsking() {
        var first = new ArrayList<Waiter>();
        for (int i = 0; i < 8; i++) {
            first.add(ask(PAGE, "peer" + i, "early" + i));
        }
        assertThat(pool.waits()).as("only those that a slab was created for").isEqualTo(4);
        Waiter large = ask(2 * PAGE, "x", "large");
        Waiter small = ask(1, "y", "small");
        assertThat(large.proxy).isNull();
        first.get(0).proxy.close();
        assertThat(small.proxy).as("a smaller one does not pass").isNull();
        first.get(1).proxy.close();
        work();
        assertThat(large.proxy).isNotNull();
        assertThat(small.proxy).isNull();
        first.get(2).proxy.close();
        work();
        assertThat(served).endsWith("large", "small");
    }

    @Test
    void aPeerHasHalfAtMostAndIsPassedOver() {
        var of = new ArrayList<Waiter>();
        for (int i = 0; i < 6; i++) {
            of.add(ask(PAGE, "greedy", "greedy" + i));
        }
        assertThat(served).hasSize(4);
        Waiter other = ask(PAGE, "other", "other");
        assertThat(other.proxy).as("behind two that wait").isNotNull();
        of.get(0).proxy.close();
        work();
        assertThat(served).endsWith("other", "greedy4");
    }

    @Test
    void aPeerMayAlwaysHaveOne() {
        Waiter whole = ask(MOST, "large", "whole");
        assertThat(whole.proxy).isNotNull();
        assertThat(ask(1, "large", "next").proxy).isNull();
        whole.proxy.close();
        work();
        assertThat(served).containsExactly("whole", "next");
    }

    @Test
    void whoWaitsNoLongerDoesNotHoldUpThoseBehind() {
        Waiter all = ask(MOST, "a", "all");
        Waiter second = ask(MOST, "b", "second");
        Waiter third = ask(PAGE, "c", "third");
        pool.cancel(second);
        pool.cancel(second);
        all.proxy.close();
        work();
        assertThat(third.proxy).isNotNull();
        assertThat(second.proxy).isNull();
        assertThat(second.failure).isNull();
    }

    @Test
    void moreThanThereIsIsRefused() {
        Waiter waiter = ask(MOST + 1, "a", "too large");
        assertThat(waiter.failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
        assertThat(waiter.failure)
                .hasMessageContaining(MOST + 1 + " bytes")
                .hasMessageContaining("the limit is " + MOST);
    }

    @Test
    void whatIsStrandedIsNeverGivenAgain() {
        Waiter stranded = ask(PAGE, "a", "stranded");
        Waiter held = ask(2 * PAGE, "b", "held");
        Waiter whole = ask(MOST, "c", "whole");
        Waiter rest = ask(6 * PAGE, "d", "rest");
        stranded.proxy.strand();
        stranded.proxy.close();
        assertThat(pool.strandedBytes()).isEqualTo(PAGE);
        assertThat(whole.failure).as("that many bytes no longer exist").isNotNull();
        assertThat(whole.failure).hasMessageContaining(PAGE + " of them lost");
        assertThat(rest.proxy).isNull();
        held.proxy.close();
        work();
        assertThat(rest.proxy).isNotNull();
        assertThat(pool.bytesInUse()).isEqualTo(6 * PAGE);
    }

    @Test
    void memoryThatCannotBeHadIsARefusalUnlessSomeComesBack() {
        refusal = new TransportException(StatusCode.RESOURCE_EXHAUSTED, "RLIMIT_MEMLOCK");
        Waiter none = ask(PAGE, "a", "none");
        assertThat(none.failure).hasMessageContaining("RLIMIT_MEMLOCK");
        assertThat(none.failure.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);

        refusal = null;
        Waiter one = ask(2 * PAGE, "a", "one");
        refusal = new TransportException(StatusCode.RESOURCE_EXHAUSTED, "RLIMIT_MEMLOCK");
        Waiter two = ask(2 * PAGE, "b", "two");
        assertThat(two.failure).isNull();
        one.proxy.close();
        work();
        assertThat(two.proxy).isNotNull();
    }

    @Test
    void aPoolThatIsClosedRefuses() {
        Waiter all = ask(MOST, "a", "all");
        Waiter waits = ask(PAGE, "b", "waits");
        var cause = new TransportException(StatusCode.ABORTED, "stopping");
        pool.close(cause);
        assertThat(waits.failure).isSameAs(cause);
        assertThat(ask(PAGE, "c", "late").failure).isSameAs(cause);
        all.proxy.close();
        assertThat(pool.bytesInUse()).isZero();
    }

    /// If all proxies are released, every waiter gets one, in any order.
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everybodyIsServed(long seed) {
        var random = new Random(seed);
        var waiters = new ArrayList<Waiter>();
        for (int i = 0; i < 2000; i++) {
            waiters.add(ask(1 + random.nextLong(2 * PAGE), "peer" + random.nextInt(5), "w" + i));
            assertThat(pool.bytesInUse()).isLessThanOrEqualTo(MOST);
            if (random.nextBoolean()) {
                giveBackOne(waiters, random);
            }
        }
        while (giveBackOne(waiters, random)) {
            work();
        }
        assertThat(served).hasSize(2000);
        assertThat(pool.bytesInUse()).isZero();
    }

    private boolean giveBackOne(List<Waiter> waiters, Random random) {
        List<Waiter> holders = waiters.stream()
                .filter(waiter -> waiter.proxy != null && !waiter.given)
                .toList();
        if (holders.isEmpty()) {
            return false;
        }
        Waiter chosen = holders.get(random.nextInt(holders.size()));
        chosen.given = true;
        chosen.proxy.close();
        work();
        return true;
    }
}
