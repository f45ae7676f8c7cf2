package io.tensorferry.verbs.device.ibverbs;

import java.nio.ByteOrder;

/// Numbers that libibverbs keeps in network order: GUIDs, GIDs, partition keys and immediates. The same method goes
/// both ways.
final class NetworkOrder {
    private static final boolean NATIVE = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;

    private NetworkOrder() {}

    static long toLong(long value) {
        return NATIVE ? value : Long.reverseBytes(value);
    }

    static short toShort(short value) {
        return NATIVE ? value : Short.reverseBytes(value);
    }

    static int toInt(int value) {
        return NATIVE ? value : Integer.reverseBytes(value);
    }
}
