package io.tensorferry.verbs.device.software.shared;

import java.nio.ByteBuffer;

/// What the two ends of a connection tell each other of their memory, 32 bytes, big-endian. In an answer there are
/// neither ring nor table.
///
/// Whoever can dial may say anything here. A descriptor is used only where the kernel lets this user open it, where the
/// file is sealed, and where it begins with the numbers that are told here, which are drawn at random and which only
/// who can read the file knows.
///
/// @param process the number of the process
/// @param deviceDescriptor its [DeviceFile]
/// @param ringDescriptor the [RingFile]
/// @param device the device's number
/// @param line where it is rung for this
/// @param tableDescriptor its [FileTable]
record Offer(int process, int deviceDescriptor, int ringDescriptor, long device, int line, int tableDescriptor) {
    private static final int AT_PROCESS = 4;
    private static final int AT_DEVICE_DESCRIPTOR = 8;
    private static final int AT_RING_DESCRIPTOR = 12;
    private static final int AT_DEVICE = 16;
    private static final int AT_LINE = 24;
    private static final int AT_TABLE_DESCRIPTOR = 28;

    static Offer read(ByteBuffer frame) {
        return new Offer(
                frame.getInt(AT_PROCESS),
                frame.getInt(AT_DEVICE_DESCRIPTOR),
                frame.getInt(AT_RING_DESCRIPTOR),
                frame.getLong(AT_DEVICE),
                frame.getInt(AT_LINE),
                frame.getInt(AT_TABLE_DESCRIPTOR));
    }

    void put(ByteBuffer frame) {
        frame.putInt(AT_PROCESS, process)
                .putInt(AT_DEVICE_DESCRIPTOR, deviceDescriptor)
                .putInt(AT_RING_DESCRIPTOR, ringDescriptor)
                .putLong(AT_DEVICE, device)
                .putInt(AT_LINE, line)
                .putInt(AT_TABLE_DESCRIPTOR, tableDescriptor);
    }

    boolean isPlausible() {
        return process > 0 && line >= 0 && line < DeviceFile.LINES;
    }
}
