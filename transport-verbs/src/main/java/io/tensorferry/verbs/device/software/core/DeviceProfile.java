package io.tensorferry.verbs.device.software.core;

import io.tensorferry.verbs.device.DeviceAttributes;

/// The properties that a software device reports.
///
/// @param name the device's name
/// @param attributes its limits
/// @param mtu bytes of a packet's payload; reported only, since the software device does not split messages into
///     packets
/// @param maxMessageBytes the largest message of one work request
public record DeviceProfile(String name, DeviceAttributes attributes, int mtu, long maxMessageBytes) {
    /// Creates a profile with the limits of a typical network card. READs have higher limits, because they are cheap in
    /// software.
    public static DeviceProfile of(String name, int mtu, long maxMessageBytes) {
        var limits = new DeviceAttributes(
                1,
                65_536,
                16_384,
                4_194_303,
                1_048_576,
                Long.MAX_VALUE,
                1_048_576,
                DeviceAttributes.USUAL_WINDOW_BYTES,
                128,
                128,
                true);
        return new DeviceProfile(name, limits, mtu, maxMessageBytes);
    }

    /// Copies this profile with smaller memory windows.
    public DeviceProfile withMaxWindowBytes(long bytes) {
        var limits = new DeviceAttributes(
                attributes.portCount(),
                attributes.maxQueuePairs(),
                attributes.maxWorkRequests(),
                attributes.maxCompletionQueueEntries(),
                attributes.maxMemoryRegions(),
                attributes.maxMemoryRegionBytes(),
                attributes.maxMemoryWindows(),
                bytes,
                attributes.maxReadsAsTarget(),
                attributes.maxReadsAsInitiator(),
                attributes.writeWithImmediate());
        return new DeviceProfile(name, limits, mtu, maxMessageBytes);
    }
}
