package io.tensorferry.it.guest;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What became of a command.
///
/// @param status its exit status; 124 if it took too long, 125 if there was no guest
/// @param output the lines of standard output, unless somebody else got them
/// @param log the file with the error stream
public record GuestResult(int status, List<String> output, Path log) {
    static final int TIMED_OUT = 124;
    private static final int TAIL_LINES = 60;

    /// The end of the error stream, each line indented on one of its own.
    public String logTail() {
        try {
            // A process that died in the guest may have written anything.
            List<String> lines =
                    Files.readString(log, StandardCharsets.ISO_8859_1).lines().toList();
            return "\n  " + String.join("\n  ", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "\n  (" + e + ")";
        }
    }
}
