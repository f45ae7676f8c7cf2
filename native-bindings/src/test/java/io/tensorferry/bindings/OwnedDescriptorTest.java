package io.tensorferry.bindings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class OwnedDescriptorTest {
    private static final int READ_ONLY = 0;

    @Test
    void itIsOpenUntilItIsClosed() throws Throwable {
        var descriptor = open();

        assertThat(isDevNull(descriptor)).isTrue();
        descriptor.close();

        assertThat(isDevNull(descriptor)).isFalse();
    }

    @Test
    void aSecondCloseLeavesTheNextFileOfThatNumberOpen() throws Throwable {
        var first = open();
        first.close();

        try (var next = open()) {
            first.close();

            assertThat(isDevNull(next)).isTrue();
        }
    }

    private static OwnedDescriptor open() throws Throwable {
        try (var call = new NativeCall()) {
            int number = (int) LinuxCalls.OPEN.invokeExact(call.state(), call.allocateFrom("/dev/null"), READ_ONLY);
            assertThat(number).isNotNegative();
            return new OwnedDescriptor(number);
        }
    }

    private static boolean isDevNull(OwnedDescriptor descriptor) throws Exception {
        Path entry = Path.of("/proc/self/fd/" + descriptor.number());
        return Files.isSymbolicLink(entry)
                && Files.readSymbolicLink(entry).toString().equals("/dev/null");
    }
}
