package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.verbs.config.MemoryOptions;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RegisteredMemoryConcurrencyTest {
    private static final long SLAB = 1 << 16;
    private static final int THREADS = 4;

    private final RecordingDomain domain = new RecordingDomain();
    private final RegisteredMemory memory = new RegisteredMemory(domain, new MemoryOptions(SLAB, 16 * SLAB));

    @RepeatedTest(3)
    void threadsNeverGetTheSameBytesAndNothingIsLost() throws Exception {
        run(thread -> allocateAndFree(thread, 3000));

        assertThat(memory.statistics().bytesInUse()).isZero();
        memory.close();
        assertThat(domain.open()).isEmpty();
    }

    @RepeatedTest(20)
    void closingWhileThreadsAllocateFreesEverythingOnceTheyAreDone() throws Exception {
        run(thread -> {
            if (thread == 0) {
                memory.close();
            } else {
                try {
                    allocateAndFree(thread, 300);
                } catch (TransportException e) {
                    assertThat(e.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
                }
            }
            return null;
        });

        assertThat(domain.open()).isEmpty();
        assertThat(memory.statistics().bytesInUse()).isZero();
        assertThat(memory.statistics().slabBytes()).isZero();
    }

    private interface Work {
        Object run(int thread) throws Exception;
    }

    private static void run(Work work) throws Exception {
        try (var executor = Executors.newFixedThreadPool(THREADS)) {
            List<Callable<Object>> tasks = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                tasks.add(() -> work.run(thread));
            }
            for (Future<Object> result : executor.invokeAll(tasks)) {
                result.get();
            }
        }
    }

    private Object allocateAndFree(int thread, int rounds) {
        var random = new Random(thread);
        var out = new ArrayList<RegisteredBuffer>();
        byte mark = (byte) (thread + 1);
        try {
            for (int i = 0; i < rounds; i++) {
                if (out.size() < 8 && random.nextInt(3) > 0) {
                    long bytes = random.nextInt(50) == 0 ? SLAB + 1 + random.nextInt(1000) : 1 + random.nextInt(4000);
                    try {
                        RegisteredBuffer buffer = memory.allocate(bytes);
                        buffer.segment().fill(mark);
                        assertThat(memory.regionOf(buffer.address(), bytes)).isIn(buffer.region(), null);
                        out.add(buffer);
                    } catch (TransportException e) {
                        if (e.code() != StatusCode.RESOURCE_EXHAUSTED) {
                            throw e;
                        }
                    }
                } else if (!out.isEmpty()) {
                    check(out.remove(random.nextInt(out.size())), mark);
                }
            }
        } finally {
            out.forEach(buffer -> check(buffer, mark));
        }
        return null;
    }

    private static void check(RegisteredBuffer buffer, byte mark) {
        for (byte value : buffer.segment().toArray(ValueLayout.JAVA_BYTE)) {
            if (value != mark) {
                throw new AssertionError("another thread wrote here");
            }
        }
        buffer.close();
    }
}
