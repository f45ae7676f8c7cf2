package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.VerbsDevice;
import java.util.Arrays;

/// The address attributes of one simulated device's port, which change as those of a network card do.
///
/// A GID that is added again gets another index. The kernel's table behaves so while a queue pair uses the old entry.
///
/// Threading: the fabric's thread.
final class SimulatedPort {
    private static final Gid UNUSED = new Gid(0, 0);
    private static final int GIDS = 4;

    private final Gid first;
    private final Gid[] gids = new Gid[GIDS];
    private int lid;
    private int partitionKey = VerbsDevice.DEFAULT_PARTITION_KEY;
    // The index of the last added GID.
    private int latest;

    SimulatedPort(Gid gid, int lid) {
        Arrays.fill(gids, UNUSED);
        this.first = gid;
        this.gids[0] = gid;
        this.lid = lid;
    }

    int length() {
        return GIDS;
    }

    /// The initial GID.
    Gid first() {
        return first;
    }

    /// The GID at `index`; the zero GID if the entry is unused.
    Gid gid(int index) {
        return gids[index];
    }

    boolean hasGid(Gid gid) {
        return Arrays.asList(gids).contains(gid);
    }

    void removeGid(Gid gid) {
        Arrays.setAll(gids, index -> gids[index].equals(gid) ? UNUSED : gids[index]);
    }

    void addGid(Gid gid) {
        do {
            latest = (latest + 1) % GIDS;
        } while (!gids[latest].isZero());
        gids[latest] = gid;
    }

    int lid() {
        return lid;
    }

    void setLid(int changed) {
        lid = changed;
    }

    int partitionKey() {
        return partitionKey;
    }

    void setPartitionKey(int changed) {
        partitionKey = changed;
    }
}
