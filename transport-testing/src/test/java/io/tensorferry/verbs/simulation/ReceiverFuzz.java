package io.tensorferry.verbs.simulation;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/// The whole receiving side: a member of the cluster that does what the fuzzer's bytes say. Its worst is the end of
/// its own channel: transfers with a healthy peer stay right, every receive ends once, nothing is left and nothing
/// hangs.
@Timeout(value = 10, unit = TimeUnit.SECONDS)
class ReceiverFuzz {
    @FuzzTest
    void whateverAMemberDoesOthersAreNotHarmed(byte[] program) {
        try (var stage = new HostileStage(1)) {
            new HostileProgram(stage, new ProgramBytes(program)).run();
        }
    }
}
