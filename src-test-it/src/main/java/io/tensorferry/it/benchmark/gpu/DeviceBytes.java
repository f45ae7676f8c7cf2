package io.tensorferry.it.benchmark.gpu;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.DeviceEvent;
import io.tensorferry.api.DeviceStream;
import io.tensorferry.api.HostPin;
import io.tensorferry.it.benchmark.exchange.Content;
import io.tensorferry.it.benchmark.exchange.DeviceContent;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/// Memory of an accelerator, which the processor reads and writes by copies in a stream, as an application does.
///
/// @param address the device address of the first byte; no queued operation may use it
public record DeviceBytes(Accelerator device, long address, long byteSize) implements DeviceContent {
    private static final int PAGE = 4096;

    /// Writes every byte with the pattern of [Content].
    public void fill() {
        if (byteSize > 0) {
            inHostMemory((stream, memory) -> {
                Content.fill(memory);
                stream.copyFromHost(memory, address);
                await(stream);
            });
        }
    }

    @Override
    public void take(Consumer<MemorySegment> reader) {
        if (byteSize == 0) {
            // An empty range has no address to copy from.
            reader.accept(MemorySegment.NULL);
            return;
        }
        inHostMemory((stream, memory) -> {
            stream.copyToHost(address, memory);
            await(stream);
            reader.accept(memory);
            memory.fill((byte) 0);
            stream.copyFromHost(memory, address);
            await(stream);
        });
    }

    private void inHostMemory(BiConsumer<DeviceStream, MemorySegment> use) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment pages = arena.allocate((byteSize + PAGE - 1) / PAGE * PAGE, PAGE);
            try (HostPin _ = device.pin(pages);
                    DeviceStream stream = device.openStream()) {
                use.accept(stream, pages.asSlice(0, byteSize));
            }
        }
    }

    private static void await(DeviceStream stream) {
        try (DeviceEvent done = stream.record()) {
            done.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while a tensor was copied", e);
        }
    }
}
