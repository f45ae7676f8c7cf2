package io.tensorferry.bindings;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The comparison of the bindings with C finds the mistakes. Needs a C compiler and no library's headers.
class HeaderCheckTest {
    private static final String DECLARATIONS = """
            struct message { int kind; union { int code; long word; }; struct { char id; long at; } from[2]; };
            enum { SMALL = 7, SHIFTED = 8, TOP = 0x80000000u };
            """;

    @TempDir(factory = TargetDirectory.class)
    private Path directory;

    private CProbe probe;

    @BeforeEach
    void findCompiler() {
        probe = new CProbe(DECLARATIONS, List.of(), directory);
        InstalledHeader.assume(probe, "gcc or clang");
    }

    @Test
    void aLayoutThatIsRightAgrees() {
        HeaderCheck result = HeaderCheck.of(LayoutChecks.of(Right.message.class), probe);

        assertThat(result.mismatches()).isEmpty();
        assertThat(result.unknown()).isEmpty();
        assertThat(result.agreeing())
                .isEqualTo(LayoutChecks.of(Right.message.class).size());
        assertThat(LayoutChecks.of(Right.message.class).stream().map(Check::name))
                .contains("message.word offset", "message.from[0].at offset", "message.kind (accessor) offset");
    }

    @Test
    void aMemberAtTheWrongPlaceIsNamedWithBothOffsets() {
        assertThat(HeaderCheck.of(LayoutChecks.of(Narrow.message.class), probe).mismatches())
                .contains(
                        "message.word offset: 4 in the bindings, 8 in C",
                        "message.word size: 4 in the bindings, 8 in C",
                        "message size: 8 in the bindings, 48 in C",
                        "message alignment: 4 in the bindings, 8 in C");
    }

    @Test
    void anAccessorWithTheWrongOffsetIsNamedThoughTheLayoutIsRight() {
        assertThat(HeaderCheck.of(LayoutChecks.of(Shifted.message.class), probe).mismatches())
                .containsExactly("message.kind (accessor) offset: 4 in the bindings, 0 in C");
    }

    @Test
    void aMemberThatCDoesNotHaveIsNamed() {
        assertThat(HeaderCheck.of(LayoutChecks.of(Renamed.message.class), probe).mismatches())
                .hasSize(2)
                .allMatch(line -> line.startsWith("message.sort "))
                .allMatch(line -> line.contains("not known to C"));
    }

    @Test
    void aConstantWithTheWrongValueIsNamedAndAnUnknownOneIsNot() {
        HeaderCheck result = HeaderCheck.of(ConstantChecks.of(Constants.class, _ -> true), probe);

        assertThat(result.mismatches()).containsExactly("SHIFTED: 9 in the bindings, 8 in C");
        assertThat(result.unknown()).containsExactly("ADDED_LATER");
        assertThat(result.agreeing()).isEqualTo(2);
    }

    @Test
    void headersThatAreMissingAreTheReason() {
        assertThat(new CProbe("#include <no/such.h>", List.of(), directory).unusable())
                .hasValueSatisfying(reason -> assertThat(reason).contains("no/such.h"));
    }

    /// The classes below are written as jextract writes them: named as the C type, with static methods.
    private static GroupLayout message(MemoryLayout... members) {
        return MemoryLayout.structLayout(members).withName("message");
    }

    private static MemoryLayout content() {
        return MemoryLayout.unionLayout(JAVA_INT.withName("code"), JAVA_LONG.withName("word"))
                .withName("$anon$1:1");
    }

    private static MemoryLayout from() {
        return MemoryLayout.sequenceLayout(
                        2,
                        MemoryLayout.structLayout(
                                JAVA_BYTE.withName("id"), MemoryLayout.paddingLayout(7), JAVA_LONG.withName("at")))
                .withName("from");
    }

    static final class Right {
        static final class message {
            public static GroupLayout layout() {
                return message(JAVA_INT.withName("kind"), MemoryLayout.paddingLayout(4), content(), from());
            }

            public static long kind$offset() {
                return 0;
            }

            public static MemoryLayout kind$layout() {
                return JAVA_INT;
            }
        }
    }

    static final class Narrow {
        static final class message {
            public static GroupLayout layout() {
                return message(
                        JAVA_INT.withName("kind"),
                        MemoryLayout.unionLayout(JAVA_INT.withName("code"), JAVA_INT.withName("word"))
                                .withName("$anon$1:1"));
            }
        }
    }

    static final class Shifted {
        static final class message {
            public static GroupLayout layout() {
                return Right.message.layout();
            }

            public static long kind$offset() {
                return 4;
            }
        }
    }

    static final class Renamed {
        static final class message {
            public static GroupLayout layout() {
                return message(JAVA_INT.withName("sort"), MemoryLayout.paddingLayout(4), content(), from());
            }
        }
    }

    static final class Constants {
        private Constants() {}

        static int SMALL() {
            return 7;
        }

        static int SHIFTED() {
            return 9;
        }

        static int TOP() {
            return 0x8000_0000;
        }

        static int ADDED_LATER() {
            return 1;
        }

        static long notAConstant() {
            return System.nanoTime();
        }
    }
}
