package io.tensorferry.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommandLineTest {
    @Test
    void withoutACommandItSaysWhichThereAre() throws Exception {
        Run run = Run.start();
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err())
                .isEqualToNormalizingNewlines("tensorferry: a command is missing: devices, check, serve"
                        + " (tensorferry --help tells more)\n");
    }

    @Test
    void helpNamesTheCommandsAndTheExitStatus() throws Exception {
        Run run = Run.start("--help");
        assertThat(run.status()).isZero();
        assertThat(run.out())
                .contains("devices  Lists the RDMA devices of this machine, and which one is chosen.")
                .contains("check    Checks the connection to a machine that runs 'tensorferry serve'.")
                .contains("serve    Answers 'tensorferry check' of other machines.")
                .contains("2   wrong usage");
    }

    @Test
    void helpHasNoDefaultWithoutAValueAndNoBrokenLine() throws Exception {
        for (String command : List.of("devices", "check", "serve")) {
            assertThat(Run.start(command, "--help").out())
                    .as(command)
                    .doesNotContainPattern("Default:\\s*\\R")
                    .doesNotContainPattern("(?m)^\\w+,$");
        }
    }

    @Test
    void versionSaysWhatRuns() throws Exception {
        Run run = Run.start("--version");
        assertThat(run.status()).isZero();
        assertThat(run.out()).startsWith("tensorferry development (Java " + Runtime.version());
    }

    @Test
    void wrongUsageIsOneLineThatNamesTheCommand() throws Exception {
        for (String[] wrong : new String[][] {
            {"devices", "--colour"},
            {"check"},
            {"check", "10.0.0.1"},
            {"check", "10.0.0.1:70000"},
            {"check", "10.0.0.1:7471", "--sizes=4kb"},
            {"check", "10.0.0.1:7471", "--sizes=0"},
            {"check", "10.0.0.1:7471", "--rounds=0"},
            {"check", "10.0.0.1:7471", "--timeout=0"},
            {"check", "10.0.0.1:7471", "--gpu=first"},
            {"check", "10.0.0.1:7471", "--gpu=-1"},
            {"serve", "127.0.0.1:7471", "--gpu", "12345"},
            {"serve", "here"}
        }) {
            Run run = Run.start(wrong);
            assertThat(run.status()).as(String.join(" ", wrong)).isEqualTo(2);
            assertThat(run.err().lines())
                    .singleElement()
                    .asString()
                    .startsWith("tensorferry " + wrong[0] + ": ")
                    .endsWith("(tensorferry " + wrong[0] + " --help tells more)");
            assertThat(run.out()).isEmpty();
        }
    }

    @Test
    void aWrongVariableOfTheEnvironmentIsWrongUsage() throws Exception {
        Run run = Run.start(Map.of("RDMA_TIMEOUT", "99"), "serve", "127.0.0.1:7471");
        assertThat(run.status()).isEqualTo(2);
        assertThat(run.err()).startsWith("tensorferry serve: RDMA_TIMEOUT is '99'; accepted: 0 to 31");
    }

    @Test
    void aDeviceThatDoesNotExistIsAFailureInOneLine() throws Exception {
        Run run = Run.start(Map.of("RDMA_DEVICE", "nowhere0"), "serve", "127.0.0.1:7471");
        assertThat(run.status()).isOne();
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("tensorferry serve: device (RDMA_DEVICE) is nowhere0; accepted: a device that exists: ");
    }
}
