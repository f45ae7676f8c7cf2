package io.tensorferry.api;

/// Where the memory of a tensor lives: the host, or an [Accelerator] of it.
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

    /// The kind of device as in a device name, `CPU` or `GPU`.
    String type();

    /// Which of its kind, from 0 on: the `N` of `/device:GPU:N`.
    default int index() {
        return 0;
    }

    /// Whether the processor can read and write the memory directly, so that a tensor's segment may be
    /// dereferenced.
    boolean hostAccessible();
}
