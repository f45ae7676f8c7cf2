package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.testing.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceNameTest {
    @Test
    void hasItsParts() {
        DeviceName name = DeviceName.parse("/job:param_server-1.a/replica:2/task:30/device:XLA_GPU0:4");
        assertThat(name).isEqualTo(new DeviceName("param_server-1.a", 2, 30, "XLA_GPU0", 4));
        assertThat(name.worker()).isEqualTo("/job:param_server-1.a/replica:2/task:30");
        assertThat(DeviceName.workerName("ps", 0, 1)).isEqualTo("/job:ps/replica:0/task:1");
    }

    @Test
    void whatIsPrintedIsParsed() {
        Property.check(1000, draw -> {
            int replica = draw.intOf(0, 999_999_999);
            int task = draw.intOf(0, 999_999_999);
            int index = draw.intOf(0, 999_999_999);
            var name = new DeviceName("worker", replica, task, "CPU", index);
            assertThat(DeviceName.parse(name.toString())).isEqualTo(name);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/job:worker",
                "job:worker/replica:0/task:0/device:CPU:0",
                "/job:/replica:0/task:0/device:CPU:0",
                "/job:1w/replica:0/task:0/device:CPU:0",
                "/job:w;x/replica:0/task:0/device:CPU:0",
                "/job:worker/replica:/task:0/device:CPU:0",
                "/job:worker/replica:-1/task:0/device:CPU:0",
                "/job:worker/replica:0/task:1234567890/device:CPU:0",
                "/job:worker/replica:0/task:0/device:cpu:0",
                "/job:worker/replica:0/task:0/device::0",
                "/job:worker/replica:0/task:0/device:CPU",
                "/job:worker/replica:0/task:0/device:CPU:0 ",
                "/job:worker/replica:0/task:0/device:CPU:0\n",
                "/job:worker/replica:٠/task:0/device:CPU:0",
            })
    void anotherFormIsRefused(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DeviceName.parse(name))
                .withMessageContaining("/job:NAME/replica:N/task:N/device:TYPE:N");
    }

    @Test
    void partsThatCouldNotBeParsedAgainAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new DeviceName("", 0, 0, "CPU", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new DeviceName("a;b", 0, 0, "CPU", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new DeviceName("a/b", 0, 0, "CPU", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> new DeviceName("ps", 0, 0, "cpu", 0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DeviceName("ps", -1, 0, "CPU", 0))
                .withMessageContaining("replica -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DeviceName("ps", 0, 1_000_000_000, "CPU", 0))
                .withMessageContaining("task 1000000000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new DeviceName("ps", 0, 0, "CPU", -1))
                .withMessageContaining("device index -1");
    }
}
