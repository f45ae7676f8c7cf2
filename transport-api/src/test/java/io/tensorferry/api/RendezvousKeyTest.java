package io.tensorferry.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.testing.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RendezvousKeyTest {
    private static final String PS = "/job:ps/replica:0/task:0/device:CPU:0";
    private static final String WORKER = "/job:worker/replica:0/task:1/device:CPU:0";

    @Test
    void printsFiveParts() {
        RendezvousKey key =
                RendezvousKey.of(DeviceName.parse(PS), 0xABCDEFL, DeviceName.parse(WORKER), "edge_7_w", 3, 12);
        assertThat(key).hasToString(PS + ";0000000000abcdef;" + WORKER + ";edge_7_w;3:12");
        assertThat(RendezvousKey.of(DeviceName.parse(PS), DeviceName.parse(WORKER), "w"))
                .hasToString(PS + ";0000000000000000;" + WORKER + ";w;0:0");
    }

    @Test
    void whatIsPrintedIsParsed() {
        Property.check(1000, draw -> {
            long incarnation = draw.anyLong();
            String edgeName = draw.text(1, 255).replace(';', ':');
            long frame = draw.longOf(0, Long.MAX_VALUE);
            long iteration = draw.longOf(0, Long.MAX_VALUE);
            RendezvousKey key = RendezvousKey.of(
                    DeviceName.parse(PS), incarnation, DeviceName.parse(WORKER), edgeName, frame, iteration);

            RendezvousKey parsed = RendezvousKey.parse(key.toString());

            assertThat(parsed).isEqualTo(key).hasSameHashCodeAs(key);
            assertThat(parsed.source()).isEqualTo(key.source());
            assertThat(parsed.sourceIncarnation()).isEqualTo(incarnation);
            assertThat(parsed.destination()).isEqualTo(key.destination());
            assertThat(parsed.edgeName()).isEqualTo(edgeName);
            assertThat(parsed.frameId()).isEqualTo(frame);
            assertThat(parsed.iterationId()).isEqualTo(iteration);
        });
    }

    @Test
    void keysThatDifferInOnePartAreDifferent() {
        RendezvousKey key = RendezvousKey.parse(PS + ";1;" + WORKER + ";w;0:0");
        assertThat(key)
                .isNotEqualTo(RendezvousKey.parse(WORKER + ";1;" + WORKER + ";w;0:0"))
                .isNotEqualTo(RendezvousKey.parse(PS + ";2;" + WORKER + ";w;0:0"))
                .isNotEqualTo(RendezvousKey.parse(PS + ";1;" + PS + ";w;0:0"))
                .isNotEqualTo(RendezvousKey.parse(PS + ";1;" + WORKER + ";v;0:0"))
                .isNotEqualTo(RendezvousKey.parse(PS + ";1;" + WORKER + ";w;1:0"))
                .isNotEqualTo(RendezvousKey.parse(PS + ";1;" + WORKER + ";w;0:1"));
    }

    @Test
    void theIncarnationMayBeShortAndInCapitals() {
        assertThat(RendezvousKey.parse(PS + ";AB;" + WORKER + ";w;0:0"))
                .isEqualTo(RendezvousKey.parse(PS + ";00000000000000ab;" + WORKER + ";w;0:0"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";;;;",
                PS + ";1;" + WORKER + ";w",
                PS + ";1;" + WORKER + ";w;0:0;",
                PS + ";1;" + WORKER + ";w;x;0:0",
                "ps;1;" + WORKER + ";w;0:0",
                PS + ";1;worker;w;0:0",
                PS + ";;" + WORKER + ";w;0:0",
                PS + ";-1;" + WORKER + ";w;0:0",
                PS + ";+1;" + WORKER + ";w;0:0",
                PS + ";xyz;" + WORKER + ";w;0:0",
                PS + ";10000000000000000;" + WORKER + ";w;0:0",
                PS + ";1;" + WORKER + ";;0:0",
                PS + ";1;" + WORKER + ";w;",
                PS + ";1;" + WORKER + ";w;0",
                PS + ";1;" + WORKER + ";w;0:",
                PS + ";1;" + WORKER + ";w;:0",
                PS + ";1;" + WORKER + ";w;0:0:0",
                PS + ";1;" + WORKER + ";w;-1:0",
                PS + ";1;" + WORKER + ";w;0:-1",
                PS + ";1;" + WORKER + ";w;+1:0",
                PS + ";1;" + WORKER + ";w;0x1:0",
                PS + ";1;" + WORKER + ";w;9223372036854775808:0",
            })
    void aMalformedKeyIsRefusedWithItsText(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RendezvousKey.parse(text))
                .withMessageContaining("'" + text + "'");
    }

    @Test
    void whatCouldNotBeParsedAgainIsRefused() {
        DeviceName ps = DeviceName.parse(PS);
        DeviceName worker = DeviceName.parse(WORKER);
        assertThatIllegalArgumentException().isThrownBy(() -> RendezvousKey.of(ps, worker, ""));
        assertThatIllegalArgumentException().isThrownBy(() -> RendezvousKey.of(ps, worker, "a;b"));
        assertThatIllegalArgumentException().isThrownBy(() -> RendezvousKey.of(ps, 0, worker, "a", -1, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> RendezvousKey.of(ps, 0, worker, "a", 0, -1));
    }
}
