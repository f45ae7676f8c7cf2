package io.tensorferry.verbs.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tensorferry.api.DeviceMemory;
import io.tensorferry.api.NicWrites;
import io.tensorferry.api.StatusCode;
import io.tensorferry.api.TransportException;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.testing.fabric.SimulatedFabric;
import io.tensorferry.verbs.device.AccessFlag;
import io.tensorferry.verbs.device.ProtectionDomain;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DirectAccessTest {
    private static final SimulatedAcceleratorOptions PLAIN = SimulatedAcceleratorOptions.defaults();

    private final AcceleratorTime time = AcceleratorTime.real();
    private final RegisteringDomain domain = new RegisteringDomain();

    @AfterEach
    void close() {
        time.close();
    }

    private SimulatedAccelerator gpu(SimulatedAcceleratorOptions options) {
        return new SimulatedAccelerator(0, time, 1, options);
    }

    /// Returns the verdict, and checks that the trial has released everything.
    private DirectAccess verdict(SimulatedAccelerator gpu) {
        DirectAccess verdict = DirectAccess.tryOut(domain, gpu);
        assertThat(gpu.leftOver()).isEmpty();
        assertThat(gpu.mistakes()).isEmpty();
        assertThat(domain.open).isEmpty();
        return verdict;
    }

    @Test
    void whatIsExportedAndTakenIsReachedByDmabuf() {
        assertThat(verdict(gpu(PLAIN.withExport(NicWrites.VISIBLE))))
                .isEqualTo(new DirectAccess.ByDmabuf(true))
                .hasToString("by dmabuf");
        assertThat(domain.calls)
                .singleElement()
                .asString()
                .startsWith("dmabuf 0x10")
                .endsWith("WRITE, REMOTE_WRITE]");
    }

    @Test
    void whatIsNotExportedIsReachedByItsAddressWhereTheDriverFindsIt() {
        assertThat(verdict(gpu(PLAIN)))
                .isEqualTo(new DirectAccess.ByAddress(true))
                .hasToString("by address");
        assertThat(domain.calls).singleElement().asString().startsWith("address ");
    }

    @Test
    void soIsWhatIsExportedAndNotTaken() {
        domain.dmabufRefusal = RegisteringDomain.refusal("ibv_reg_dmabuf_mr", VerbsException.EINVAL);
        assertThat(verdict(gpu(PLAIN.withExport(NicWrites.AFTER_FLUSH)))).isEqualTo(new DirectAccess.ByAddress(true));
        assertThat(domain.calls).hasSize(2);
    }

    @Test
    void aRefusalHasTheReasonsOfBothWaysAsTheDriversGaveThem() {
        domain.addressRefusal = RegisteringDomain.refusal("ibv_reg_mr", VerbsException.EFAULT);
        assertThat(verdict(gpu(PLAIN)))
                .isEqualTo(new DirectAccess.Refused(List.of(
                        "by dmabuf: GPU:0 exports no memory",
                        "by address: ibv_reg_mr failed with EFAULT (errno 14): said the driver")))
                .asString()
                .startsWith("no: by dmabuf: ");
        domain.dmabufRefusal = RegisteringDomain.refusal("ibv_reg_dmabuf_mr", VerbsException.EOPNOTSUPP);
        assertThat(verdict(gpu(PLAIN.withExport(NicWrites.VISIBLE))))
                .asString()
                .contains(
                        "by dmabuf: ibv_reg_dmabuf_mr failed with EOPNOTSUPP (errno 95): said the driver; by address: ");
    }

    @Test
    void whereWritesCannotBeSeenNobodyIsLetWrite() {
        DirectAccess verdict = verdict(gpu(PLAIN.withExport(NicWrites.UNUSABLE)));
        assertThat(verdict)
                .isEqualTo(new DirectAccess.ByDmabuf(false))
                .asString()
                .contains("for reading only");
        assertThat(verdict.isPossible()).isTrue();
        assertThat(domain.calls).singleElement().asString().endsWith(" []");
        var gpu = gpu(PLAIN);
        try (DeviceMemory memory = gpu.allocate(4096);
                var _ = new DirectAccess.ByAddress(false)
                        .register(
                                domain,
                                gpu,
                                memory.address(),
                                4096,
                                Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND))) {
            assertThat(domain.calls.getLast()).as("windows may be bound").endsWith("[MW_BIND]");
        }
    }

    /// The kernel accepts no dmabuf with the right to bind windows, for any device.
    @Test
    void memoryForWindowsIsReachedByItsAddressAndElseOnlyToSendByDmabuf() {
        Set<AccessFlag> windows = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.MW_BIND);
        var gpu = gpu(PLAIN.withExport(NicWrites.VISIBLE));
        assertThat(DirectAccess.tryOut(domain, gpu, windows)).isEqualTo(new DirectAccess.ByAddress(true));
        domain.addressRefusal = RegisteringDomain.refusal("ibv_reg_mr", VerbsException.EFAULT);
        DirectAccess verdict = DirectAccess.tryOut(domain, gpu, windows);
        assertThat(verdict).isEqualTo(new DirectAccess.ToSendByDmabuf());
        assertThat(verdict.takesWrites()).isFalse();
        assertThat(verdict).asString().startsWith("by dmabuf, for sending only").contains("RDMA_RKEY_SCOPE=request");
        assertThat(domain.calls.getLast()).startsWith("dmabuf").endsWith(" []");
        domain.dmabufRefusal = RegisteringDomain.refusal("ibv_reg_dmabuf_mr", VerbsException.EOPNOTSUPP);
        assertThat(DirectAccess.tryOut(domain, gpu, windows))
                .asString()
                .contains("by dmabuf: ibv_reg_dmabuf_mr failed with EINVAL", "cannot be bound to a dmabuf")
                .contains("to send by dmabuf: ibv_reg_dmabuf_mr failed with EOPNOTSUPP");
        assertThat(gpu.leftOver()).isEmpty();
    }

    @Test
    void noDeviceTakesADmabufWithTheRightToBindWindows() {
        try (VerbsDevice device = new SimulatedFabric(1).provider("node").open(SimulatedFabric.DEVICE);
                ProtectionDomain own = device.allocateProtectionDomain()) {
            for (ProtectionDomain each : List.of(own, domain)) {
                assertThatExceptionOfType(VerbsException.class)
                        .isThrownBy(() -> each.registerDmabuf(3, 0, 4096, 4096, Set.of(AccessFlag.MW_BIND)))
                        .satisfies(refusal -> assertThat(refusal.errno()).isEqualTo(VerbsException.EINVAL))
                        .withMessageContaining("cannot be bound to a dmabuf");
            }
        }
    }

    @Test
    void anAcceleratorWithoutMemoryIsRefused() {
        DirectAccess verdict = verdict(gpu(PLAIN.withCapacity(4096)));
        assertThat(verdict).asString().startsWith("no: cannot allocate memory for the trial: ");
        assertThat(verdict.isPossible()).isFalse();
        assertThat(verdict.takesWrites()).isFalse();
        assertThatExceptionOfType(TransportException.class)
                .isThrownBy(() -> verdict.register(domain, gpu(PLAIN), 1L << 60, 64, Set.of()))
                .satisfies(failure -> assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION))
                .withMessageContaining("cannot allocate memory for the trial");
    }

    /// The device may still access the memory.
    @Test
    void whatCannotBeDeregisteredIsNotFreed() {
        domain.deregisterRefusal = RegisteringDomain.refusal("ibv_dereg_mr", VerbsException.EIO);
        var gpu = gpu(PLAIN);
        assertThatThrownBy(() -> DirectAccess.tryOut(domain, gpu)).isEqualTo(domain.deregisterRefusal);
        assertThat(gpu.bytesInUse()).isEqualTo(DirectAccess.TRIAL_BYTES);
    }

    @Test
    void theSoftwareDevicesTakeWhatASimulatedAcceleratorExports() {
        try (VerbsDevice device = new SimulatedFabric(1).provider("node").open(SimulatedFabric.DEVICE);
                ProtectionDomain own = device.allocateProtectionDomain()) {
            assertThat(DirectAccess.tryOut(own, gpu(PLAIN.withExport(NicWrites.VISIBLE))))
                    .isEqualTo(new DirectAccess.ByDmabuf(true));
            assertThat(DirectAccess.tryOut(own, gpu(PLAIN)))
                    .asString()
                    .contains("exports no memory")
                    .contains("ibv_reg_mr failed with EOPNOTSUPP");
        }
    }
}
