package io.tensorferry.it.interop;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.QueuePairAddress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A queue pair's address as one line of text, `lid:number:sequence number:GID`, all hexadecimal: the format that the
/// ping-pong programs of libibverbs exchange.
public final class AddressText {
    /// The length of each line in characters.
    public static final int LENGTH = 51;

    private static final Pattern FORM =
            Pattern.compile("([0-9a-f]{4}):([0-9a-f]{6}):([0-9a-f]{6}):([0-9a-f]{16})([0-9a-f]{16})");
    private static final int HEXADECIMAL = 16;

    private AddressText() {}

    public static String of(QueuePairAddress address) {
        return "%04x:%06x:%06x:%016x%016x"
                .formatted(
                        address.lid(),
                        address.queuePairNumber(),
                        address.packetSequenceNumber(),
                        address.gid().subnetPrefix(),
                        address.gid().interfaceId());
    }

    /// @throws IllegalArgumentException if the text has another form
    public static QueuePairAddress parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (!parts.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not the address of a queue pair");
        }
        return new QueuePairAddress(
                Integer.parseInt(parts.group(1), HEXADECIMAL),
                Integer.parseInt(parts.group(2), HEXADECIMAL),
                Integer.parseInt(parts.group(3), HEXADECIMAL),
                new Gid(
                        Long.parseUnsignedLong(parts.group(4), HEXADECIMAL),
                        Long.parseUnsignedLong(parts.group(5), HEXADECIMAL)));
    }
}
