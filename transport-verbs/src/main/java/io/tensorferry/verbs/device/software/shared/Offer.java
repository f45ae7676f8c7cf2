package io.tensorferry.verbs.device.software.shared;

import java.nio.ByteBuffer;

/// The shared memory of one end of a connection, as sent to the other end: 32 bytes, big-endian. An answer omits ring
/// and table.
///
/// The contents are untrusted, since any process that can connect may send them. A descriptor is used only if the
/// kernel lets this user open it, the file is sealed, and the file begins with the numbers given here. These numbers
/// are random, and only a process that can read the file knows them.
///
/// @param process the process ID
/// @param deviceDescriptor the descriptor of the sender's [DeviceFile]
/// @param ringDescriptor the descriptor of the [RingFile]
/// @param device the device's number
/// @param line the line on which the sender is notified
/// @param tableDescriptor the descriptor of the sender's [FileTable]
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
