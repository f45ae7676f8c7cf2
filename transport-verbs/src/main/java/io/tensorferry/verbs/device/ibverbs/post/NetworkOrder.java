package io.tensorferry.verbs.device.ibverbs.post;

import java.nio.ByteOrder;

/// Converts numbers that libibverbs keeps in network byte order: GUIDs, GIDs, partition keys and immediates. Each
/// method converts in both directions.
public final class NetworkOrder {
    private static final boolean NATIVE = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;

    private NetworkOrder() {}

    public static long toLong(long value) {
        return NATIVE ? value : Long.reverseBytes(value);
    }

    public static short toShort(short value) {
        return NATIVE ? value : Short.reverseBytes(value);
    }

    public static int toInt(int value) {
        return NATIVE ? value : Integer.reverseBytes(value);
    }
}
