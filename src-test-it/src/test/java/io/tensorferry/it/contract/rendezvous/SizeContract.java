package io.tensorferry.it.contract.rendezvous;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Every size arrives whole, alone and beside others.
abstract class SizeContract extends RendezvousContract {
    private static final int MIB = 1 << 20;

    SizeContract(Protocol protocol) {
        super(protocol);
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                1,
                2,
                63,
                64,
                65,
                1023,
                1024,
                1025,
                4095,
                4096,
                4097,
                65_535,
                65_537,
                256 * 1024 - 1,
                256 * 1024,
                256 * 1024 + 1,
                MIB - 1,
                MIB,
                MIB + 1,
                16 * MIB + 3,
                64 * MIB
            })
    void everySizeArrivesWhole(long size) throws Exception {
        // Cold, then twice with metadata that the receiver remembers.
        for (int step = 1; step <= 3; step++) {
            sending(step).send(key("a"), Contents.bytes(allocator(), size, size + step));
            Contents.checkBytes(receiving(step).recv(key("a"), LIMIT), size, size + step);
        }
    }

    @Test
    void largeAndSmallTensorsShareTheWay() throws Exception {
        long seed = 42;
        var random = new SplittableRandom(seed);
        List<Long> sizes = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            sizes.add(i % 40 == 0 ? 8L * MIB + random.nextInt(100) : random.nextLong(20_000));
        }
        var checks = new ArrayList<CompletableFuture<Void>>();
        for (int i = 0; i < sizes.size(); i++) {
            long size = sizes.get(i);
            long content = seed + i;
            checks.add(receiving()
                    .recvAsync(key("edge " + i))
                    .thenAccept(result -> Contents.checkBytes(result, size, content)));
        }
        for (int i = sizes.size() - 1; i >= 0; i--) {
            sending().send(key("edge " + i), Contents.bytes(allocator(), sizes.get(i), seed + i));
        }
        for (CompletableFuture<Void> check : checks) {
            check.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
    }
}
