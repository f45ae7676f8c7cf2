package io.tensorferry.cli.devices;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.tensorferry.api.NicWrites;
import io.tensorferry.cuda.CudaDescription;
import io.tensorferry.testing.accelerator.AcceleratorTime;
import io.tensorferry.testing.accelerator.SimulatedAccelerator;
import io.tensorferry.testing.accelerator.SimulatedAcceleratorOptions;
import io.tensorferry.verbs.device.VerbsProvider;
import io.tensorferry.verbs.device.software.SoftwareProvider;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DevicesCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private GpuListing gpus = new GpuListing.Absent("libcuda.so.1 is not installed");

    private int run(Map<String, String> environment, VerbsProvider libibverbs, String... arguments) {
        return new CommandLine(
                        new DevicesCommand(environment, () -> List.of(libibverbs, new SoftwareProvider()), _ -> gpus))
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    private static VerbsProvider nics() {
        return FakeNic.libibverbs(null, new FakeNic("siw0", true), new FakeNic("mlx5_0", false));
    }

    @Test
    void showsOfADeviceWhatIbvDevinfoShows() {
        assertThat(run(Map.of(), nics())).isZero();

        String device = out.toString().substring(out.toString().indexOf("hca_id: mlx5_0"));
        assertThat(device.lines()
                        .takeWhile(line -> !line.isEmpty())
                        .map(line -> line.strip().replaceAll(" +", " ")))
                .containsExactly(
                        "hca_id: mlx5_0 (libibverbs)",
                        "transport: InfiniBand (0)",
                        "fw_ver: 16.35.2000",
                        "node_guid: 506b:4b03:00f4:7d1c",
                        "sys_image_guid: 506b:4b03:00f4:7d1d",
                        "vendor_id: 0x02c9",
                        "vendor_part_id: 4119",
                        "hw_ver: 0x1A",
                        "phys_port_cnt: 2",
                        "max_qp: 262144",
                        "max_qp_wr: 32768",
                        "max_cqe: 4194303",
                        "max_mr: 16777216",
                        "max_mr_size: 0xffffffffffffffff",
                        "max_qp_rd_atom: 16",
                        "max_qp_init_rd_atom: 32",
                        "write with immediate: yes",
                        "port: 1",
                        "state: PORT_DOWN (1)",
                        "max_mtu: 4096 (5)",
                        "active_mtu: 1024 (3)",
                        "sm_lid: 9",
                        "port_lid: 17",
                        "port_lmc: 0x03",
                        "link_layer: Ethernet",
                        "max_msg_sz: 1073741824 (1 GiB)",
                        "pkey_tbl_len: 128",
                        "gid_tbl_len: 4",
                        "GID[ 0]: fe80:0000:0000:0000:5054:00ff:fe12:3456, RoCE v1",
                        "GID[ 1]: fe80:0000:0000:0000:5054:00ff:fe12:3456, RoCE v2",
                        "GID[ 3]: ::ffff:10.0.0.1, RoCE v2",
                        "port: 2",
                        "state: PORT_ACTIVE (4)",
                        "max_mtu: 4096 (5)",
                        "active_mtu: 1024 (3)",
                        "sm_lid: 9",
                        "port_lid: 17",
                        "port_lmc: 0x03",
                        "link_layer: Ethernet",
                        "max_msg_sz: 1073741824 (1 GiB)",
                        "pkey_tbl_len: 128",
                        "gid_tbl_len: 4",
                        "GID[ 0]: fe80:0000:0000:0000:5054:00ff:fe12:3456, RoCE v1",
                        "GID[ 1]: fe80:0000:0000:0000:5054:00ff:fe12:3456, RoCE v2",
                        "GID[ 3]: ::ffff:10.0.0.1, RoCE v2");
    }

    @Test
    void saysWhatWouldBeTakenAndWhyAndWhyNotTheOthers() {
        assertThat(run(Map.of(), nics())).isZero();

        assertThat(out.toString()).endsWith("""
                        taken: mlx5_0 (libibverbs), port 2, GID 3 ::ffff:10.0.0.1 (RoCE v2), MTU 1024
                            mlx5_0 is the first usable device
                            port 2: the first active port
                            GID 3: the first RoCE v2 entry with an IPv4 address
                        not taken:
                            siw0 has no RDMA WRITE with immediate (iWARP)
                            port 1 of mlx5_0: it is DOWN
                            GID 0 fe80:0000:0000:0000:5054:00ff:fe12:3456 (RoCE v1) of port 2 of mlx5_0: it is link-local
                            GID 1 fe80:0000:0000:0000:5054:00ff:fe12:3456 (RoCE v2) of port 2 of mlx5_0: it is link-local
                            soft0 could be used, but mlx5_0 comes first
                        """);
    }

    @Test
    void theEnvironmentNamesADevice() {
        assertThat(run(Map.of("RDMA_DEVICE", "siw0", "HOME", "/root"), nics())).isOne();

        assertThat(out.toString())
                .contains("\nsettings: RDMA_DEVICE=siw0\n")
                .contains(
                        "\ntaken: nothing; device (RDMA_DEVICE) is siw0, which has no RDMA WRITE with immediate (iWARP)\n")
                .contains("\n    mlx5_0 device (RDMA_DEVICE) names siw0\n");
    }

    @Test
    void aDeviceThatCannotBeOpenedIsListedWithTheReason() {
        assertThat(run(Map.of(), FakeNic.libibverbs(null, new FakeNic("broken0", false))))
                .isZero();

        assertThat(out.toString())
                .contains(
                        "not readable:           ibv_open_device failed with EACCES (errno 13): broken0 is not for you")
                .contains("\n    broken0 cannot be opened: ibv_open_device failed with EACCES")
                .contains("\n    soft0 is taken because no RDMA device is usable\n");
    }

    @Test
    void withoutTheSoftwareDeviceNothingMayBeLeft() {
        VerbsProvider none = FakeNic.libibverbs("libibverbs.so.1 is not installed");
        assertThat(run(Map.of(), none, "--no-software")).isOne();

        assertThat(out.toString()).isEqualTo("""
                        GPUs: none; libcuda.so.1 is not installed

                        taken: nothing; UNAVAILABLE: there is no usable RDMA device: libibverbs has no device: libibverbs.so.1 is not installed
                        not taken:
                            libibverbs has no device: libibverbs.so.1 is not installed
                        """);
    }

    @Test
    void gpusAreListedAfterTheDevicesAndDoNotCountAsOne() {
        gpus = twoGpus();
        VerbsProvider none = FakeNic.libibverbs("libibverbs.so.1 is not installed");
        assertThat(run(Map.of(), none, "--no-software")).isOne();

        assertThat(out.toString()).startsWith("""
                        GPUs:
                            GPU:0:                  NVIDIA H200
                                uuid:                   f9d3a2c1-0123-4567-89ab-cdef01234567
                                pci_address:            0000:1b:00.0
                                memory:                 150754820096 (140.4 GiB)
                                GPUDirect mlx5_0:       by dmabuf
                                GPUDirect soft0:        no: by dmabuf: refused
                            GPU:1:                  NVIDIA T4
                                uuid:                   00010203-0405-0607-0809-0a0b0c0d0e0f
                                pci_address:            0000:af:00.0
                                memory:                 16106127360 (15.0 GiB)

                        taken: nothing;""");
    }

    private static GpuListing twoGpus() {
        return new GpuListing.Found(List.of(
                new GpuListing.Gpu(
                        new CudaDescription(
                                0,
                                "NVIDIA H200",
                                "f9d3a2c1-0123-4567-89ab-cdef01234567",
                                "0000:1b:00.0",
                                150_754_820_096L),
                        List.of(
                                new GpuListing.Reach("mlx5_0", "by dmabuf"),
                                new GpuListing.Reach("soft0", "no: by dmabuf: refused"))),
                new GpuListing.Gpu(
                        new CudaDescription(
                                1,
                                "NVIDIA T4",
                                "00010203-0405-0607-0809-0a0b0c0d0e0f",
                                "0000:af:00.0",
                                16_106_127_360L),
                        List.of())));
    }

    @Test
    void ofEachDeviceItIsTriedWhetherItReachesTheMemoryOfAGpu() {
        VerbsProvider broken = FakeNic.libibverbs(null, new FakeNic("broken0", false));
        try (AcceleratorTime time = AcceleratorTime.real()) {
            SimulatedAcceleratorOptions usual = SimulatedAcceleratorOptions.defaults();
            assertThat(reaches(time, usual.withExport(NicWrites.VISIBLE), broken))
                    .containsExactly(
                            "broken0: no: ibv_open_device failed with EACCES (errno 13): broken0 is not for you",
                            "soft0: by dmabuf");
            assertThat(reaches(time, usual, broken).get(1))
                    .startsWith("soft0: no: by dmabuf: ")
                    .contains("; by address: ibv_reg_mr failed with EOPNOTSUPP");
        }
    }

    /// Returns the verdicts on a simulated accelerator, and checks that the trial has released everything.
    private static List<String> reaches(
            AcceleratorTime time, SimulatedAcceleratorOptions options, VerbsProvider libibverbs) {
        try (var gpu = new SimulatedAccelerator(0, time, 1, options)) {
            List<String> reaches = GpuListing.tryOut(gpu, List.of(libibverbs, new SoftwareProvider())).stream()
                    .map(reach -> reach.device() + ": " + reach.answer())
                    .toList();
            assertThat(gpu.leftOver()).isEmpty();
            return reaches;
        }
    }

    @Test
    void scriptsGetGpusToo() {
        gpus = twoGpus();
        assertThat(run(Map.of(), nics(), "--json")).isZero();

        assertThat(gpusInJson()).isEqualTo(JsonParser.parseString("""
                        {"obstacle": null, "devices": [
                          {"ordinal": 0, "name": "NVIDIA H200", "uuid": "f9d3a2c1-0123-4567-89ab-cdef01234567",
                           "pci_address": "0000:1b:00.0", "memory_bytes": 150754820096,
                           "gpu_direct": [{"hca_id": "mlx5_0", "answer": "by dmabuf"},
                                          {"hca_id": "soft0", "answer": "no: by dmabuf: refused"}]},
                          {"ordinal": 1, "name": "NVIDIA T4", "uuid": "00010203-0405-0607-0809-0a0b0c0d0e0f",
                           "pci_address": "0000:af:00.0", "memory_bytes": 16106127360,
                           "gpu_direct": []}]}
                        """));
    }

    @Test
    void scriptsGetTheReasonWhereThereIsNoGpu() {
        assertThat(run(Map.of(), nics(), "--json")).isZero();

        assertThat(gpusInJson())
                .isEqualTo(
                        JsonParser.parseString("{\"obstacle\": \"libcuda.so.1 is not installed\", \"devices\": []}"));
    }

    private JsonObject gpusInJson() {
        return JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonObject("gpus");
    }

    @Test
    void aWrongVariableIsWrongUsage() {
        assertThat(run(Map.of("RDMA_QP_MTU", "1500"), nics())).isEqualTo(2);
        assertThat(err.toString()).contains("RDMA_QP_MTU is '1500'");
    }

    @Test
    void scriptsGetJson() {
        VerbsProvider some = FakeNic.libibverbs(null, new FakeNic("broken0", false), new FakeNic("mlx5_0", false));
        assertThat(run(Map.of(), some, "--json")).isZero();

        JsonObject all = JsonParser.parseString(out.toString()).getAsJsonObject();
        JsonArray devices = all.getAsJsonArray("devices");
        assertThat(devices).hasSize(3);
        assertThat(devices.get(0).getAsJsonObject().get("failure").getAsString())
                .contains("EACCES");
        JsonObject nic = devices.get(1).getAsJsonObject();
        assertThat(nic.get("max_qp_wr").getAsInt()).isEqualTo(32_768);
        assertThat(nic.get("max_mr_size").getAsString()).isEqualTo("18446744073709551615");
        JsonObject port = nic.getAsJsonArray("ports").get(1).getAsJsonObject();
        assertThat(port.get("state").getAsString()).isEqualTo("active");
        assertThat(port.getAsJsonArray("gids")
                        .get(2)
                        .getAsJsonObject()
                        .get("type")
                        .getAsString())
                .isEqualTo("roce_v2");
        JsonObject taken = all.getAsJsonObject("taken");
        assertThat(taken.get("hca_id").getAsString()).isEqualTo("mlx5_0");
        assertThat(taken.get("port").getAsInt()).isEqualTo(2);
        assertThat(taken.getAsJsonObject("gid").get("index").getAsInt()).isEqualTo(3);
        assertThat(all.get("failure").isJsonNull()).isTrue();
        JsonObject candidate = all.getAsJsonArray("providers")
                .get(0)
                .getAsJsonObject()
                .getAsJsonArray("candidates")
                .get(1)
                .getAsJsonObject();
        assertThat(candidate.get("verdict").getAsString()).isEqualTo("taken");
        assertThat(candidate
                        .getAsJsonArray("ports")
                        .get(0)
                        .getAsJsonObject()
                        .get("reason")
                        .getAsString())
                .isEqualTo("it is DOWN");
    }
}
