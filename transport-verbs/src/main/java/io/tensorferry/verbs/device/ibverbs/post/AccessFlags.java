package io.tensorferry.verbs.device.ibverbs.post;

import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.verbs.device.AccessFlag;
import java.util.Set;

/// Converts access flags to libibverbs' bits (`enum ibv_access_flags`).
public final class AccessFlags {
    private AccessFlags() {}

    /// The bits for a memory registration.
    public static int bits(Set<AccessFlag> access, boolean relaxedOrdering) {
        return bits(access) | (relaxedOrdering ? Ibverbs.IBV_ACCESS_RELAXED_ORDERING() : 0);
    }

    static int bits(Set<AccessFlag> access) {
        int bits = 0;
        for (AccessFlag flag : access) {
            bits |= bit(flag);
        }
        return bits;
    }

    private static int bit(AccessFlag access) {
        return switch (access) {
            case LOCAL_WRITE -> Ibverbs.IBV_ACCESS_LOCAL_WRITE();
            case REMOTE_WRITE -> Ibverbs.IBV_ACCESS_REMOTE_WRITE();
            case REMOTE_READ -> Ibverbs.IBV_ACCESS_REMOTE_READ();
            case MW_BIND -> Ibverbs.IBV_ACCESS_MW_BIND();
        };
    }
}
