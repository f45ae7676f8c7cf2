package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/// Any text as a rendezvous key, as in a peer's message: a key that prints and parses again, or an
/// [IllegalArgumentException].
@Timeout(value = 5, unit = TimeUnit.SECONDS)
class RendezvousKeyFuzz {
    @FuzzTest
    void anyTextIsAKeyOrRefused(byte[] utf8) {
        String text = new String(utf8, StandardCharsets.UTF_8);
        RendezvousKey key;
        try {
            key = RendezvousKey.parse(text);
        } catch (IllegalArgumentException _) {
            return;
        }
        RendezvousKey again = RendezvousKey.parse(key.toString());
        assertThat(again).isEqualTo(key).hasSameHashCodeAs(key);
        assertThat(again.sourceIncarnation()).isEqualTo(key.sourceIncarnation());
        assertThat(again.edgeName()).isEqualTo(key.edgeName());
        assertThat(DeviceName.parse(key.source().toString())).isEqualTo(key.source());
    }
}
