package io.tensorferry.api;

import java.util.HexFormat;
import java.util.regex.Pattern;

/// Identifies one tensor that travels from a producer to a consumer. Immutable; two keys are equal if all five parts
/// are equal.
///
/// The printed form is `src_device;src_incarnation;dst_device;edge_name;frame_id:iter_id`. The incarnation is a 64-bit
/// number of 16 hexadecimal digits; frame and iteration are decimal. The edge name contains no `;`.
public final class RendezvousKey {
    private static final int PARTS = 5;
    private static final Pattern INCARNATION = Pattern.compile("[0-9A-Fa-f]{1,16}");
    private static final Pattern FRAME_AND_ITERATION = Pattern.compile("(\\d{1,19}):(\\d{1,19})");

    private final DeviceName source;
    private final long sourceIncarnation;
    private final DeviceName destination;
    private final String edgeName;
    private final long frameId;
    private final long iterationId;
    // Formatted once: the tables use the text as their key, and requests carry it.
    private final String text;

    private RendezvousKey(
            DeviceName source,
            long sourceIncarnation,
            DeviceName destination,
            String edgeName,
            long frameId,
            long iterationId) {
        this.source = source;
        this.sourceIncarnation = sourceIncarnation;
        this.destination = destination;
        this.edgeName = edgeName;
        this.frameId = frameId;
        this.iterationId = iterationId;
        this.text = source + ";" + HexFormat.of().toHexDigits(sourceIncarnation) + ";" + destination + ";" + edgeName
                + ";" + frameId + ":" + iterationId;
    }

    /// Creates a key from its five parts.
    ///
    /// @param source the device whose worker sends
    /// @param sourceIncarnation distinguishes a restarted producer from its earlier process
    /// @param destination the device whose worker receives
    /// @param edgeName the edge in the graph; at least one character, without `;`
    /// @param frameId the frame of a loop, 0 or more
    /// @param iterationId the iteration within the frame, 0 or more
    /// @throws IllegalArgumentException if the edge name is empty or contains `;`, or the frame or iteration is
    ///     negative
    public static RendezvousKey of(
            DeviceName source,
            long sourceIncarnation,
            DeviceName destination,
            String edgeName,
            long frameId,
            long iterationId) {
        if (edgeName.isEmpty() || edgeName.indexOf(';') >= 0) {
            throw new IllegalArgumentException(
                    "edge name '" + edgeName + "' must be at least one character long and hold no ';'");
        }
        if (frameId < 0 || iterationId < 0) {
            throw new IllegalArgumentException(
                    "frame " + frameId + " and iteration " + iterationId + " must be 0 or more");
        }
        return new RendezvousKey(source, sourceIncarnation, destination, edgeName, frameId, iterationId);
    }

    /// Creates a key outside any loop: frame 0, iteration 0, incarnation 0.
    ///
    /// @throws IllegalArgumentException if the edge name is empty or contains `;`
    public static RendezvousKey of(DeviceName source, DeviceName destination, String edgeName) {
        return of(source, 0, destination, edgeName, 0, 0);
    }

    /// Parses the form that [#toString()] prints. The incarnation may have fewer than 16 digits, and capitals.
    ///
    /// @throws IllegalArgumentException if `text` has not exactly five parts, or a part is malformed
    public static RendezvousKey parse(String text) {
        String[] parts = text.split(";", -1);
        if (parts.length != PARTS) {
            throw new IllegalArgumentException(
                    "rendezvous key '" + text + "' has " + parts.length + " parts, it must have " + PARTS
                            + ": src_device;src_incarnation;dst_device;edge_name;frame_id:iter_id");
        }
        try {
            // The number parsers alone would accept a sign.
            if (!INCARNATION.matcher(parts[1]).matches()) {
                throw new IllegalArgumentException("its second part must be 1 to 16 hexadecimal digits");
            }
            var last = FRAME_AND_ITERATION.matcher(parts[4]);
            if (!last.matches()) {
                throw new IllegalArgumentException("its last part must be frame_id:iter_id, two decimal numbers");
            }
            return of(
                    DeviceName.parse(parts[0]),
                    Long.parseUnsignedLong(parts[1], 16),
                    DeviceName.parse(parts[2]),
                    parts[3],
                    Long.parseLong(last.group(1)),
                    Long.parseLong(last.group(2)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("rendezvous key '" + text + "' is malformed: " + e.getMessage(), e);
        }
    }

    /// The device whose worker sends.
    public DeviceName source() {
        return source;
    }

    /// The incarnation of the producer, which changes when its process restarts; 0 if the key was created without one.
    public long sourceIncarnation() {
        return sourceIncarnation;
    }

    /// The device whose worker receives.
    public DeviceName destination() {
        return destination;
    }

    /// The edge in the graph: at least one character, without `;`.
    public String edgeName() {
        return edgeName;
    }

    /// The frame of the loop that produces the tensor, 0 or more; 0 outside any loop.
    public long frameId() {
        return frameId;
    }

    /// The iteration within the frame, 0 or more; 0 outside any loop.
    public long iterationId() {
        return iterationId;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RendezvousKey that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text;
    }
}
