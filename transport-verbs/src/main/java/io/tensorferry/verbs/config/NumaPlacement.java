package io.tensorferry.verbs.config;

import org.jspecify.annotations.Nullable;

/// The preferred NUMA node for the memory of slabs (`RDMA_NUMA_NODE`). The kernel uses other nodes when it is full.
public sealed interface NumaPlacement {
    /// No preference: the kernel places a page on the node of the thread that touches it first.
    NumaPlacement ANYWHERE = new Anywhere();

    /// The node that the device is attached to; no preference if the device has no node.
    NumaPlacement OF_DEVICE = new OfDevice();

    /// The maximum number of NUMA nodes of a Linux kernel.
    int MOST_NODES = 1024;

    /// See [#ANYWHERE].
    record Anywhere() implements NumaPlacement {
        @Override
        public String toString() {
            return "none";
        }
    }

    /// See [#OF_DEVICE].
    record OfDevice() implements NumaPlacement {
        @Override
        public String toString() {
            return "device";
        }
    }

    /// @param number the system's number of the node, 0 to 1023
    record Node(int number) implements NumaPlacement {
        public Node {
            if (number < 0 || number >= MOST_NODES) {
                throw new IllegalArgumentException("the NUMA node " + number + " must be in [0, " + MOST_NODES + ")");
            }
        }

        @Override
        public String toString() {
            return Integer.toString(number);
        }
    }

    /// Parses the value of the variable; returns null if the value is not valid.
    static @Nullable NumaPlacement of(String value) {
        return switch (value) {
            case "none" -> ANYWHERE;
            case "device" -> OF_DEVICE;
            default -> value.matches("[0-9]{1,3}|10[01][0-9]|102[0-3]") ? new Node(Integer.parseInt(value)) : null;
        };
    }
}
