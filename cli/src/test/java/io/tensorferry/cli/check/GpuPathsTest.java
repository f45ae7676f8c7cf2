package io.tensorferry.cli.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GpuPathsTest {
    @Test
    void whatWasNotCopiedWentByTheDeviceItself() {
        var paths = new GpuPaths("GPU:0", "by dmabuf", 4096, 0, 4096);
        assertThat(paths.sent()).isEqualTo("GPUDirect");
        assertThat(paths.received()).isEqualTo("pinned proxies");
    }

    @Test
    void whatWasCopiedTwiceWentNoOtherWay() {
        assertThat(new GpuPaths("GPU:0", "no", 4096, 8192, 4096).sent()).isEqualTo("pinned proxies");
    }

    @Test
    void bothWaysAreTold() {
        assertThat(new GpuPaths("GPU:0", "by dmabuf", 4096, 96, 0).sent())
                .isEqualTo("GPUDirect, and 96 of 4096 bytes by pinned proxies");
    }
}
