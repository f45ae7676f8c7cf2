package io.tensorferry.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {
    @Test
    void theLayoutsFitLinuxOnX86() {
        assertThat(Platform.obstacle("libcuda", "Linux", "amd64")).isNull();
        assertThat(Platform.obstacle("libcuda", "Linux", "x86_64")).isNull();
    }

    @ParameterizedTest
    @CsvSource({"Linux,aarch64", "Linux,riscv64", "Mac OS X,x86_64", "Windows 11,amd64"})
    void otherMachinesAreRefusedByName(String system, String architecture) {
        assertThat(Platform.obstacle("libcuda", system, architecture))
                .contains("libcuda", system, architecture, "x86-64");
    }
}
