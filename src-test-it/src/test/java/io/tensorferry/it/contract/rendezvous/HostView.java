package io.tensorferry.it.contract.rendezvous;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.HostPin;
import io.tensorferry.api.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/// Reads and writes tensors wherever they are, as an application would: on an accelerator by a copy in a stream.
final class HostView {
    private static final int PAGE = 4096;

    private HostView() {}

    /// Shows `reader` the content of a tensor, when it is there.
    static void read(Tensor tensor, Consumer<MemorySegment> reader) {
        if (tensor.device() instanceof Accelerator device) {
            copy(device, tensor, (stream, memory) -> stream.copyToHost(tensor.address(), memory), _ -> {}, reader);
        } else {
            reader.accept(tensor.segment());
        }
    }

    /// Has `writer` fill a tensor.
    static void write(Tensor tensor, Consumer<MemorySegment> writer) {
        if (tensor.device() instanceof Accelerator device) {
            copy(device, tensor, (stream, memory) -> stream.copyFromHost(memory, tensor.address()), writer, _ -> {});
        } else {
            writer.accept(tensor.segment());
        }
    }

    private interface Copy {
        void queue(DeviceStream stream, MemorySegment memory);
    }

    private static void copy(
            Accelerator device,
            Tensor tensor,
            Copy copy,
            Consumer<MemorySegment> before,
            Consumer<MemorySegment> after) {
        if (tensor.byteSize() == 0) {
            before.accept(MemorySegment.NULL);
            after.accept(MemorySegment.NULL);
            return;
        }
        try (var arena = Arena.ofShared()) {
            MemorySegment whole = arena.allocate((tensor.byteSize() + PAGE - 1) / PAGE * PAGE, PAGE);
            MemorySegment memory = whole.asSlice(0, tensor.byteSize());
            before.accept(memory);
            try (HostPin _ = device.pin(whole);
                    DeviceStream stream = device.openStream()) {
                DeviceEvent ready = tensor.readyEvent();
                if (ready != null) {
                    stream.await(ready);
                }
                copy.queue(stream, memory);
                try (DeviceEvent done = stream.record()) {
                    done.await();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while a tensor was copied", e);
            }
            after.accept(memory);
        }
    }
}
