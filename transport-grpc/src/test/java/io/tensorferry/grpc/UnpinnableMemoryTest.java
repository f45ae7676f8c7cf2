package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.grpc.cluster.ServerConfig;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// A device that cannot lock memory: the server does not start, and reports the reason.
@Timeout(30)
class UnpinnableMemoryTest {
    private static final String REASON =
            "67108864 bytes cannot be locked in memory; RLIMIT_MEMLOCK is 65536 bytes; raise it with ulimit -l";

    @Test
    void aServerThatCannotLockItsMemoryDoesNotStartAndSaysWhatToDo() throws Exception {
        var cluster = new TestCluster(1);
        List<VerbsProvider> sound = VerbsProviders.forHost(InetAddress.getLoopbackAddress());
        List<VerbsProvider> limited =
                sound.stream().map(UnpinnableMemoryTest::withoutMemory).toList();
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> builder(cluster).verbsProviders(limited).start())
                .satisfies(e -> {
                    assertThat(e.code()).isEqualTo(StatusCode.RESOURCE_EXHAUSTED);
                    assertThat(e.errno()).isEqualTo(VerbsException.ENOMEM);
                })
                .withMessageContaining(REASON);
        // The server has released everything: its address is free.
        builder(cluster).verbsProviders(sound).start().close();
    }

    private static TransportServerBuilder builder(TestCluster cluster) {
        return cluster.builder(0).protocol(ServerConfig.GRPC_VERBS);
    }

    private static VerbsProvider withoutMemory(VerbsProvider provider) {
        return wrap(VerbsProvider.class, provider);
    }

    private static <T> T wrap(Class<T> type, Object real) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (_, method, arguments) -> {
                    if (method.getName().equals("register")) {
                        throw new VerbsException("ibv_reg_mr", VerbsException.ENOMEM, REASON);
                    }
                    try {
                        Object result = method.invoke(real, arguments);
                        return result instanceof VerbsDevice || result instanceof ProtectionDomain
                                ? wrap(method.getReturnType(), result)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
