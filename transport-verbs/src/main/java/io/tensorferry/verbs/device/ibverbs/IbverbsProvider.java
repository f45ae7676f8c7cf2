package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.ErrnoVerbs;
import io.tensorferry.bindings.IbverbsLibrary;
import io.tensorferry.bindings.NativeCall;
import io.tensorferry.bindings.ibverbs.Ibverbs;
import io.tensorferry.verbs.device.VerbsDevice;
import io.tensorferry.verbs.device.VerbsException;
import io.tensorferry.verbs.device.VerbsProvider;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Provides the RDMA devices that libibverbs lists on this machine.
///
/// If the library is missing, or the kernel does not support RDMA, there are no devices and [#obstacle()] returns the
/// reason.
///
/// Threading: any thread.
public final class IbverbsProvider implements VerbsProvider {
    /// The result of [#name()].
    public static final String NAME = "libibverbs";

    private static final Logger LOG = LoggerFactory.getLogger(IbverbsProvider.class);
    private static final String LIST = "ibv_get_device_list";

    private final IbverbsOptions options;

    public IbverbsProvider() {
        this(IbverbsOptions.defaults());
    }

    public IbverbsProvider(IbverbsOptions options) {
        this.options = options;
    }

    public IbverbsOptions options() {
        return options;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public @Nullable String obstacle() {
        return switch (IbverbsLibrary.find()) {
            case IbverbsLibrary.Absent absent -> absent.reason();
            case IbverbsLibrary.Present _ -> {
                try (var call = new NativeCall();
                        var list = new DeviceList(call)) {
                    yield list.obstacle;
                }
            }
        };
    }

    @Override
    public List<String> deviceNames() {
        return switch (IbverbsLibrary.find()) {
            case IbverbsLibrary.Absent absent -> {
                LOG.debug("no libibverbs devices: {}", absent.reason(), absent.cause());
                yield List.of();
            }
            case IbverbsLibrary.Present _ -> {
                try (var call = new NativeCall();
                        var list = new DeviceList(call)) {
                    yield list.names();
                }
            }
        };
    }

    @Override
    public VerbsDevice open(String deviceName) {
        if (!(IbverbsLibrary.find() instanceof IbverbsLibrary.Present library)) {
            throw new VerbsException("ibv_open_device", VerbsException.ENODEV, deviceName + ": " + obstacle());
        }
        try (var call = new NativeCall();
                var list = new DeviceList(call)) {
            MemorySegment device = list.find(deviceName);
            MemorySegment context = VerbsCheck.pointerOrErrno(
                    "ibv_open_device",
                    ErrnoVerbs.openDevice(call, device),
                    call,
                    () -> deviceName
                            + " cannot be opened; its file under /dev/infiniband must be there and be accessible to this user");
            try {
                return new IbverbsDevice(deviceName, device, context, library, options);
            } catch (RuntimeException e) {
                int _ = Ibverbs.ibv_close_device(context);
                throw e;
            }
        }
    }

    /// The array of `ibv_get_device_list`, freed by [#close()].
    private static final class DeviceList implements AutoCloseable {
        private final MemorySegment pointers;
        private final int count;
        /// Why there cannot be any device, or null.
        final @Nullable String obstacle;

        DeviceList(NativeCall call) {
            MemorySegment number = call.allocate(ValueLayout.JAVA_INT);
            pointers = ErrnoVerbs.getDeviceList(call, number);
            boolean listed = pointers.address() != 0;
            count = listed ? number.get(ValueLayout.JAVA_INT, 0) : 0;
            // ENOSYS and similar errors are no failure: such a kernel has no devices.
            obstacle = listed
                    ? null
                    : "this kernel has no RDMA (module ib_uverbs is not loaded): " + LIST + " failed with errno "
                            + call.errno();
        }

        private MemorySegment device(int index) {
            return pointers.getAtIndex(Ibverbs.C_POINTER, index);
        }

        private static String name(MemorySegment device) {
            return Ibverbs.ibv_get_device_name(device).getString(0);
        }

        List<String> names() {
            var names = new ArrayList<String>();
            for (int i = 0; i < count; i++) {
                names.add(name(device(i)));
            }
            return names;
        }

        /// @throws VerbsException ENODEV if no device has this name
        MemorySegment find(String deviceName) {
            for (int i = 0; i < count; i++) {
                if (name(device(i)).equals(deviceName)) {
                    return device(i);
                }
            }
            throw new VerbsException(
                    "ibv_open_device",
                    VerbsException.ENODEV,
                    deviceName + " does not exist"
                            + (obstacle == null ? "; the devices are " + names() : ": " + obstacle));
        }

        @Override
        public void close() {
            if (pointers.address() != 0) {
                Ibverbs.ibv_free_device_list(pointers);
            }
        }
    }
}
