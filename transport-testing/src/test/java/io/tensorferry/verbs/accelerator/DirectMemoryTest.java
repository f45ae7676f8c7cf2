package io.tensorferry.verbs.accelerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.tensorferry.api.DataType;
import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.Shape;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.Tensor;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.CapturedLog;
import io.tensorferry.verbs.config.AcceleratorOptions;
import io.tensorferry.verbs.config.GpuDirect;
import io.tensorferry.verbs.config.MemoryOptions;
import io.tensorferry.verbs.config.RdmaConfig;
import io.tensorferry.verbs.config.RemoteKeyScope;
import io.tensorferry.verbs.config.SoftCarrier;
import io.tensorferry.verbs.device.MemoryRegion;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.SendWorkRequest;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.WorkStatus;
import io.tensorferry.verbs.device.software.SoftwareEnd;
import io.tensorferry.verbs.device.software.SoftwareOptions;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import io.tensorferry.verbs.memory.DirectAccess;
import io.tensorferry.verbs.memory.RegisteredMemory;
import io.tensorferry.verbs.memory.RegisteringDomain;
import io.tensorferry.verbs.memory.Registration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Memory of an accelerator that the RDMA device accesses directly.
@Timeout(60)
class DirectMemoryTest {
    private static final int BYTES = 100_000;
    private static final MemoryOptions SLABS = new MemoryOptions(1 << 20, MemoryOptions.UNLIMITED);

    private final AcceleratorTime time = AcceleratorTime.real();
    private final SimulatedFabric fabric = new SimulatedFabric(1);

    @AfterEach
    void close() {
        time.close();
    }

    private SimulatedAccelerator exporting(NicWrites writes) {
        return new SimulatedAccelerator(
                0, time, 3, SimulatedAcceleratorOptions.defaults().withExport(writes));
    }

    private SimulatedAccelerator plain() {
        return new SimulatedAccelerator(0, time, 3, SimulatedAcceleratorOptions.defaults());
    }

    private static RegisteredMemory memory(ProtectionDomain domain, GpuDirect direct, RemoteKeyScope scope) {
        return new RegisteredMemory(
                domain,
                SLABS,
                RdmaConfig.builder().gpuDirect(direct).rkeyScope(scope).build(),
                -1,
                "soft7");
    }

    private static AcceleratorUnit unit(SimulatedAccelerator gpu, RegisteredMemory memory) {
        return AcceleratorUnit.open(
                gpu,
                memory,
                AcceleratorOptions.defaults().withDeviceMemory(SLABS),
                Runnable::run,
                Runnable::run,
                AcceleratorUnit.ownThread(gpu));
    }

    private static void nothingIsLeft(SimulatedAccelerator gpu) {
        assertThat(gpu.leftOver()).isEmpty();
        assertThat(gpu.mistakes()).isEmpty();
        gpu.close();
    }

    private VerbsDevice open(boolean simulated, String node) {
        VerbsProvider provider = simulated
                ? fabric.provider(node)
                : new SoftwareProvider(SoftwareOptions.defaults().withCarrier(SoftCarrier.AUTO));
        return provider.open(provider.deviceNames().getFirst());
    }

    private void await(SoftwareEnd end, int count) {
        end.await(() -> end.polled(count) || (fabric.runNext() && end.polled(count)), count + " completions");
    }

    private void aPeerWritesATensor(boolean simulated) {
        SimulatedAccelerator gpu = exporting(NicWrites.VISIBLE);
        try (VerbsDevice first = open(simulated, "one");
                VerbsDevice second = open(simulated, "two");
                var peer = new SoftwareEnd(first, BYTES, 64);
                var end = new SoftwareEnd(second, 4096, 64);
                RegisteredMemory memory = memory(end.domain, GpuDirect.ON, RemoteKeyScope.SLAB)) {
            SoftwareEnd.connect(peer, end);
            AcceleratorUnit unit = unit(gpu, memory);
            assertThat(unit.directAccess()).isEqualTo(new DirectAccess.ByDmabuf(true));
            assertThat(unit.statistics().direct()).isEqualTo("by dmabuf");
            try (Tensor before = unit.allocator().allocate(DataType.UINT8, Shape.of(BYTES));
                    Tensor tensor = unit.allocator().allocate(DataType.UINT8, Shape.of(BYTES))) {
                MemoryRegion region = memory.regionOf(tensor.address(), BYTES);
                assertThat(region).isNotNull();
                assertThat(memory.regionOf(before.address(), BYTES)).isSameAs(region);
                int key = region.remoteKey();
                peer.memory.fill((byte) 42);
                peer.queuePair.postSend(new SendWorkRequest()
                        .write(1, peer.region.address(), BYTES, peer.region.localKey(), tensor.address(), key));
                await(peer, 1);
                assertThat(peer.statuses).containsExactly(WorkStatus.SUCCESS);
                assertThat(gpu.peek(tensor.address(), BYTES)).containsOnly(42);
                assertThat(gpu.peek(before.address(), BYTES)).containsOnly(0);

                // The memory beside the slab is closed to the peer.
                long beside = region.address() - 1;
                peer.queuePair.postSend(
                        new SendWorkRequest().write(2, peer.region.address(), 2, peer.region.localKey(), beside, key));
                await(peer, 2);
                assertThat(peer.statuses.getLast()).isEqualTo(WorkStatus.REM_ACCESS_ERR);
            }
        }
        nothingIsLeft(gpu);
    }

    @Test
    void aPeerWritesATensorOnTheSimulatedFabric() {
        aPeerWritesATensor(true);
    }

    @Test
    void aPeerWritesATensorOnTheSoftwareDevice() {
        aPeerWritesATensor(false);
    }

    /// No peer has a key to it.
    @Test
    void withWindowsTheMemoryIsRegisteredToSendFromAndOneLineSaysSo() {
        SimulatedAccelerator gpu = exporting(NicWrites.VISIBLE);
        try (VerbsDevice device = open(true, "one");
                ProtectionDomain domain = device.allocateProtectionDomain();
                RegisteredMemory memory = memory(domain, GpuDirect.ON, RemoteKeyScope.REQUEST);
                var log = CapturedLog.of(RegisteredMemory.class)) {
            AcceleratorUnit unit = unit(gpu, memory);
            assertThat(unit.directAccess()).isEqualTo(new DirectAccess.ToSendByDmabuf());
            assertThat(unit.directAccess().takesWrites()).isFalse();
            assertThat(unit.statistics().direct()).startsWith("by dmabuf, for sending only");
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("memory windows, which no dmabuf has", "RDMA_RKEY_SCOPE=request", "through host memory");
            try (Tensor tensor = unit.allocator().allocate(DataType.UINT8, Shape.of(BYTES))) {
                assertThat(memory.regionOf(tensor.address(), BYTES)).isNotNull();
            }
        }
        nothingIsLeft(gpu);
    }

    @Test
    @SuppressWarnings("try") // the memory is closed before the rest
    void memoryThatTheUserHasCanBeRegistered() {
        SimulatedAccelerator gpu = exporting(NicWrites.VISIBLE);
        try (VerbsDevice device = open(true, "one");
                ProtectionDomain domain = device.allocateProtectionDomain();
                RegisteredMemory memory = memory(domain, GpuDirect.AUTO, RemoteKeyScope.SLAB);
                DeviceMemory own = gpu.allocate(BYTES)) {
            AcceleratorUnit unit = unit(gpu, memory);
            long address = own.address() + 1000;
            try (Registration registration = unit.register(address, 5000)) {
                assertThat(registration.memory()).isNull();
                assertThat(memory.regionOf(address, 5000)).isSameAs(registration.region());
                assertThat(memory.regionOf(address - 1, 5000)).isNull();
                assertThat(memory.regionOf(address + 1, 5000)).isNull();
            }
            assertThat(memory.regionOf(address, 1)).isNull();
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> unit.register(address, 0))
                    .withMessageContaining("0 bytes at 0x");
            assertThatIllegalArgumentException().isThrownBy(() -> unit.register(Long.MAX_VALUE, 2));
            memory.close();
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> unit.register(address, 5000))
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION));
        }
        nothingIsLeft(gpu);
    }

    @Test
    void whereItIsNotReachedOneLineSaysWhy() {
        SimulatedAccelerator gpu = plain();
        try (VerbsDevice device = open(true, "one");
                ProtectionDomain domain = device.allocateProtectionDomain();
                RegisteredMemory memory = memory(domain, GpuDirect.AUTO, RemoteKeyScope.SLAB);
                var log = CapturedLog.of(RegisteredMemory.class)) {
            AcceleratorUnit unit = unit(gpu, memory);
            assertThat(log.infos())
                    .singleElement()
                    .asString()
                    .startsWith("soft7 cannot access the memory of GPU:0 (simulated accelerator 0) directly")
                    .contains("by dmabuf: GPU:0 exports no memory")
                    .contains("by address: ibv_reg_mr failed with EOPNOTSUPP");
            assertThat(unit.directAccess().isPossible()).isFalse();
            assertThat(unit.statistics().direct()).startsWith("no: by dmabuf: ");
            try (Tensor tensor = unit.allocator().allocate(DataType.UINT8, Shape.of(BYTES))) {
                assertThat(memory.regionOf(tensor.address(), BYTES)).isNull();
                assertThatExceptionOfType(TransportException.class)
                        .isThrownBy(() -> unit.register(tensor.address(), BYTES))
                        .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
                        .withMessageContaining("exports no memory");
            }
        }
        nothingIsLeft(gpu);
    }

    @Test
    void whoWantsItAndCannotHaveItDoesNotStart() {
        SimulatedAccelerator gpu = plain();
        try (VerbsDevice device = open(true, "one");
                ProtectionDomain domain = device.allocateProtectionDomain();
                RegisteredMemory memory = memory(domain, GpuDirect.ON, RemoteKeyScope.SLAB)) {
            assertThatExceptionOfType(TransportException.class)
                    .isThrownBy(() -> unit(gpu, memory))
                    .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
                    .withMessageContainingAll(
                            "RDMA_GPU_DIRECT is on",
                            "soft7",
                            "GPU:0 (simulated accelerator 0)",
                            "GPU:0 exports no memory",
                            "EOPNOTSUPP");
        }
        nothingIsLeft(gpu);
    }

    @Test
    void whoDoesNotWantItDoesNotTry() {
        SimulatedAccelerator gpu = exporting(NicWrites.VISIBLE);
        var domain = new RegisteringDomain();
        try (RegisteredMemory memory = memory(domain, GpuDirect.OFF, RemoteKeyScope.SLAB)) {
            AcceleratorUnit unit = unit(gpu, memory);
            try (Tensor tensor = unit.allocator().allocate(DataType.UINT8, Shape.of(BYTES))) {
                assertThat(memory.regionOf(tensor.address(), BYTES)).isNull();
            }
            assertThat(domain.calls).isEmpty();
            assertThat(unit.statistics().direct()).isEqualTo("no: RDMA_GPU_DIRECT is off");
        }
        nothingIsLeft(gpu);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRegistrationEndsBeforeItsMemory(boolean exported) {
        SimulatedAccelerator gpu = exported ? exporting(NicWrites.VISIBLE) : plain();
        var domain = new RegisteringDomain();
        // This would be a mistake if the memory had been freed.
        domain.ending = region -> gpu.peek(region.address(), 1);
        Tensor late;
        try (RegisteredMemory memory = memory(domain, GpuDirect.ON, RemoteKeyScope.SLAB)) {
            AcceleratorUnit unit = unit(gpu, memory);
            late = unit.allocator().allocate(DataType.UINT8, Shape.of(10));
            try (Tensor large = unit.allocator().allocate(DataType.UINT8, Shape.of(3 << 20))) {
                assertThat(domain.open).hasSize(2);
                assertThat(memory.regionOf(large.address(), 3 << 20)).isSameAs(domain.open.getLast());
                assertThat(gpu.leftOver()).as("exports are closed at once").doesNotContain("export");
            }
        }
        assertThat(domain.open).isEmpty();
        assertThat(gpu.bytesInUse()).as("a tensor is out").isEqualTo(1 << 20);
        late.close();
        nothingIsLeft(gpu);
    }

    @Test
    void memoryThatCannotBeRegisteredIsFreedAndTheFailureIsTold() {
        SimulatedAccelerator gpu = plain();
        var domain = new RegisteringDomain();
        try (RegisteredMemory memory = memory(domain, GpuDirect.ON, RemoteKeyScope.SLAB)) {
            AcceleratorUnit unit = unit(gpu, memory);
            for (var expected : List.of(
                    List.of(VerbsException.ENOMEM, StatusCode.RESOURCE_EXHAUSTED),
                    List.of(VerbsException.EINVAL, StatusCode.INTERNAL))) {
                domain.addressRefusal = RegisteringDomain.refusal("ibv_reg_mr", (int) expected.getFirst());
                assertThatExceptionOfType(TransportException.class)
                        .isThrownBy(() -> unit.allocator().allocate(DataType.UINT8, Shape.of(10)))
                        .satisfies(failure -> assertThat(failure.code()).isEqualTo(expected.getLast()));
                assertThat(gpu.bytesInUse()).isZero();
            }
        }
        nothingIsLeft(gpu);
    }

    @Test
    void memoryWhereWritesCannotBeSeenIsToBeReadAlone() {
        SimulatedAccelerator gpu = exporting(NicWrites.UNUSABLE);
        var domain = new RegisteringDomain();
        try (RegisteredMemory memory = memory(domain, GpuDirect.AUTO, RemoteKeyScope.SLAB)) {
            AcceleratorUnit unit = unit(gpu, memory);
            try (Tensor tensor = unit.allocator().allocate(DataType.UINT8, Shape.of(10))) {
                assertThat(unit.directAccess().takesWrites()).isFalse();
                assertThat(memory.regionOf(tensor.address(), 10)).isNotNull();
                assertThat(domain.calls).hasSize(2).allMatch(call -> call.endsWith(" []"));
            }
        }
        nothingIsLeft(gpu);
    }
}
