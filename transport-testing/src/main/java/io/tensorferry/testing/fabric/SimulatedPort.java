package io.tensorferry.testing.fabric;

import io.tensorferry.verbs.device.Gid;
import io.tensorferry.verbs.device.VerbsDevice;
import java.util.Arrays;

/// What the port of one simulated device is reached by; it changes as that of a network card does.
///
/// A GID that comes back has another index, as with the kernel's table while a queue pair uses the old entry.
///
/// Threading: the fabric's thread.
final class SimulatedPort {
    private static final Gid UNUSED = new Gid(0, 0);
    private static final int GIDS = 4;

    private final Gid first;
    private final Gid[] gids = new Gid[GIDS];
    private int lid;
    private int partitionKey = VerbsDevice.DEFAULT_PARTITION_KEY;
    // Where the last GID was put.
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

    /// The GID that it was made with.
    Gid first() {
        return first;
    }

    /// The zero GID where the entry is unused.
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
