package io.tensorferry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tensorferry.api.Accelerator;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Both ends of a check in this process, with simulated accelerators in place of GPUs.
@Timeout(120)
class GpuCheckTest {
    private static final String NAME = "(simulated accelerator ";
    // The pattern is compared of tensors of less than a word, of many pages, and of several pieces.
    private static final String SIZES = "--sizes=3,4099,3MiB";
    private static final long BYTES = (3 + 4099 + (3L << 20)) * 3;

    private final AcceleratorTime time = AcceleratorTime.real();
    private final List<SimulatedAccelerator> opened = Collections.synchronizedList(new ArrayList<>());
    private SimulatedAcceleratorOptions options = SimulatedAcceleratorOptions.defaults();

    @AfterEach
    void nothingIsLeftOnTheGpusAndAllAreClosed() {
        for (SimulatedAccelerator gpu : opened) {
            assertThat(gpu.mistakes()).isEmpty();
            assertThat(gpu.leftOver()).isEmpty();
            // An accelerator has no query for its end; a closed one rejects all calls.
            assertThat(isClosed(gpu)).isTrue();
        }
        time.close();
    }

    private static boolean isClosed(SimulatedAccelerator gpu) {
        try {
            gpu.allocate(1).close();
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private Accelerator open(int number) {
        var gpu = new SimulatedAccelerator(number, time, number, options);
        opened.add(gpu);
        return gpu;
    }

    private static String freeAddress() throws IOException {
        try (var socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
            return "127.0.0.1:" + socket.getLocalPort();
        }
    }

    private Run serve(String address, String... more) throws Exception {
        var arguments = new ArrayList<>(List.of("serve", address));
        arguments.addAll(List.of(more));
        return Run.start(this::open, arguments.toArray(String[]::new)).awaitOutput("serving checks on " + address);
    }

    @Test
    void tensorsGoFromGpuToGpuAndItSaysHow() throws Exception {
        String address = freeAddress();
        Run server = serve(address, "--once", "--gpu");
        Run check = Run.start(this::open, "check", "--gpu=1", address, SIZES, "--rounds=2");

        assertThat(check.status()).as(check.err()).isZero();
        assertThat(server.status()).as(server.out()).isZero();
        assertThat(server.out())
                .contains(" with soft0, tensors on GPU:0 " + NAME + "0), once")
                .contains(": 3 sizes, all correct");
        assertThat(check.out().replaceAll(" +", " "))
                .contains(" tensors on GPU:1 " + NAME + "1) <-> GPU:0 " + NAME + "0)\n")
                .containsSubsequence(
                        "tensors on GPU:1 of this end went:\n",
                        " sent by pinned proxies\n received by pinned proxies\n GPUDirect no: by dmabuf: ",
                        "tensors on GPU:0 of the other end went:\n",
                        " sent by pinned proxies\n received by pinned proxies\n GPUDirect no: by dmabuf: ");
        assertThat(opened).hasSize(2);
    }

    @Test
    void eachEndDecidesForItself() throws Exception {
        String address = freeAddress();
        for (boolean here : List.of(true, false)) {
            Run server = here ? serve(address, "--once") : serve(address, "--once", "--gpu=3");
            String[] arguments = {"check", address, SIZES, "--rounds=2", "--json", "--gpu"};
            Run check = Run.start(
                    this::open,
                    here ? arguments : List.of(arguments).subList(0, 5).toArray(String[]::new));

            assertThat(check.status()).as(check.err()).isZero();
            assertThat(server.status()).as(server.out()).isZero();
            JsonObject all = JsonParser.parseString(check.out()).getAsJsonObject();
            JsonObject with = all.getAsJsonObject(here ? "own" : "other");
            JsonObject without = all.getAsJsonObject(here ? "other" : "own");
            assertThat(with.get("gpu").getAsString()).isEqualTo(here ? "GPU:0 " + NAME + "0)" : "GPU:3 " + NAME + "3)");
            assertThat(without.get("gpu").isJsonNull()).isTrue();
            assertThat(without.get("gpu_paths").isJsonNull()).isTrue();
            assertWentByProxies(with.get("gpu_paths"));
        }
        assertThat(opened).hasSize(2);
    }

    private static void assertWentByProxies(JsonElement element) {
        JsonObject paths = element.getAsJsonObject();
        assertThat(paths.get("sent_by").getAsString()).isEqualTo("pinned proxies");
        assertThat(paths.get("received_by").getAsString()).isEqualTo("pinned proxies");
        for (String count : List.of("bytes", "copied_from_gpu_bytes", "copied_to_gpu_bytes")) {
            assertThat(paths.get(count).getAsLong()).as(count).isEqualTo(BYTES);
        }
    }

    @Test
    void itSaysHowTheDeviceReachesTheMemory() throws Exception {
        options = options.withExport(NicWrites.VISIBLE);
        String address = freeAddress();
        Run server = serve(address, "--once");
        Run check = Run.start(this::open, "check", "--gpu", address, SIZES, "--rounds=2");

        assertThat(check.status()).as(check.err()).isZero();
        assertThat(server.status()).as(server.out()).isZero();
        assertThat(check.out().replaceAll(" +", " "))
                .contains("tensors on GPU:0 of this end went:\n")
                .contains("\n GPUDirect by dmabuf\n")
                .doesNotContain("of the other end went");
    }

    @Test
    void aGpuThatFailsIsAFailedCheckAtBothEnds() throws Exception {
        String address = freeAddress();
        Run server = serve(address, "--once", "--gpu");
        opened.getFirst()
                .breakDevice(
                        new TransportException(StatusCode.INTERNAL, "cuMemcpyDtoHAsync: it has fallen off the bus"));
        Run check = Run.start(this::open, "check", address, SIZES);

        assertThat(check.status()).isOne();
        assertThat(check.err()).contains("the other end refuses: ", "it has fallen off the bus");
        assertThat(server.status()).isOne();
        assertThat(server.out()).contains(": failed: INTERNAL: ");
        opened.clear();
    }

    @Test
    void aSignalEndsAServerInTheMiddleOfACheckAndNothingIsLeft() throws Exception {
        options = options.withDelays(2_000_000, 3_000_000);
        String address = freeAddress();
        Run server = serve(address, "--gpu");
        Run check = Run.start(this::open, "check", address, "--sizes=64KiB", "--rounds=500", "--timeout=30");
        // Then the server receives for some seconds, with pinned memory to compare the contents.
        check.awaitOutput("tensors from the other end");

        server.interrupt();
        assertThat(server.status()).as(server.err()).isZero();
        assertThat(check.status()).isOne();
    }

    @Test
    void withoutAGpuBothEndsSayWhy() throws Exception {
        IntFunction<Accelerator> none = _ -> {
            throw new TransportException(StatusCode.FAILED_PRECONDITION, "libcuda.so.1 is not installed");
        };
        String reason = ": FAILED_PRECONDITION: --gpu=2 cannot be used: libcuda.so.1 is not installed";
        Run serve = Run.start(none, "serve", freeAddress(), "--gpu", "2");
        assertThat(serve.status()).isOne();
        assertThat(serve.err().lines()).containsExactly("tensorferry serve" + reason);
        assertThat(serve.out()).isEmpty();

        // The GPU is checked first: no server answers at this address.
        Run check = Run.start(none, "check", freeAddress(), "--gpu", "2", "--json");
        assertThat(check.status()).isOne();
        assertThat(check.err().lines()).containsExactly("tensorferry check" + reason);
        JsonObject all = JsonParser.parseString(check.out()).getAsJsonObject();
        assertThat(all.get("ok").getAsBoolean()).isFalse();
        assertThat(all.get("failure").getAsString()).contains("libcuda.so.1 is not installed");
    }
}
