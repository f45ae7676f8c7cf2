package io.tensorferry.it.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ChildJvmIT {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    /// Starts another one of itself if it has an argument, says so, and waits for ever.
    static final class Parent {
        public static void main(String[] arguments) throws Exception {
            Launcher launcher = Launcher.connect();
            if (arguments.length > 0) {
                ChildJvm child = ChildJvm.of(Parent.class).start();
                child.awaitLine("READY", LIMIT);
                launcher.tell("CHILD " + child.pid());
            }
            launcher.tell("READY");
            launcher.awaitCommand("never sent");
        }
    }

    @Test
    void aChildDoesNotOutliveALauncherThatIsKilled() throws Exception {
        try (ChildJvm parent =
                ChildJvm.of(Parent.class).arguments("with a child").start()) {
            long pid = Long.parseLong(parent.awaitLine("CHILD ", LIMIT).substring("CHILD ".length()));
            ProcessHandle grandchild = ProcessHandle.of(pid).orElseThrow();
            parent.kill();

            grandchild.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
            assertThat(grandchild.isAlive()).isFalse();
        }
    }

    @Test
    void aLineThatDoesNotComeIsAFailureThatTellsWhatCame() throws Exception {
        try (ChildJvm child = ChildJvm.of(Parent.class).name("parent").start()) {
            child.awaitLine("READY", LIMIT);
            assertThatThrownBy(() -> child.awaitLine("READY", Duration.ofMillis(50)))
                    .isInstanceOf(ChildFailedException.class)
                    .hasMessageContaining("parent (process " + child.pid() + ") wrote no line that starts with 'READY'")
                    .hasMessageContaining("it is still running; its last output:\n  READY");
        }
    }

    @Test
    void closingEndsAChildThatWouldNotEnd() throws Exception {
        ChildJvm child = ChildJvm.of(Parent.class).start();
        child.awaitLine("READY", LIMIT);
        child.close();
        assertThat(child.isAlive()).isFalse();
    }
}
