package io.tensorferry.api;

/// A device that holds the memory of tensors: the host, or an [Accelerator].
public interface Device {
    /// The main memory of this process.
    Device HOST = new Device() {
        @Override
        public String type() {
            return "CPU";
        }

        @Override
        public boolean hostAccessible() {
            return true;
        }

        @Override
        public String toString() {
            return "host";
        }
    };

    /// The kind of device, as in a device name: `CPU` or `GPU`.
    String type();

    /// The index among the devices of this kind, from 0: the `N` of `/device:GPU:N`.
    default int index() {
        return 0;
    }

    /// Whether the processor can read and write the memory directly, so that [Tensor#segment()] may be dereferenced.
    boolean hostAccessible();
}
