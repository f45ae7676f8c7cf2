package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.api.Accelerator;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.MemoryOptions;
import java.util.ArrayList;
import java.util.List;

/// One accelerator for each worker of a test, `GPU:0` there.
abstract class WorkerAccelerators implements AutoCloseable {
    /// Several pieces are not much, and slabs are made as fast as those of the host.
    static final AcceleratorOptions OPTIONS = AcceleratorOptions.defaults()
            .withPieces(256 << 10, 4)
            .withDeviceMemory(new MemoryOptions(8 << 20, Long.MAX_VALUE));

    private final List<Accelerator> all = new ArrayList<>();

    final Accelerator open() {
        Accelerator opened = open(all.size());
        all.add(opened);
        return opened;
    }

    abstract Accelerator open(int number);

    /// Fails the test if something of it is left.
    abstract void close(Accelerator each);

    /// When the workers are closed.
    @Override
    public void close() {
        all.forEach(this::close);
    }
}
