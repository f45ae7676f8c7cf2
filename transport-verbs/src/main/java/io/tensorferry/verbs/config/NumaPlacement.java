package io.tensorferry.verbs.config;

import org.jspecify.annotations.Nullable;

/// On which NUMA node's memory the slabs lie, as long as that node has some left (`RDMA_NUMA_NODE`).
public sealed interface NumaPlacement {
    /// Where the kernel puts them: the node of whoever touches a page first.
    NumaPlacement ANYWHERE = new Anywhere();

    /// The node that the device is attached to; anywhere if it is attached to none.
    NumaPlacement OF_DEVICE = new OfDevice();

    /// Most nodes that a Linux kernel can have.
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

    /// @param number as the system counts its nodes, 0 to 1023
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

    /// What is written so; null if nothing is.
    static @Nullable NumaPlacement of(String value) {
        return switch (value) {
            case "none" -> ANYWHERE;
            case "device" -> OF_DEVICE;
            default -> value.matches("[0-9]{1,3}|10[01][0-9]|102[0-3]") ? new Node(Integer.parseInt(value)) : null;
        };
    }
}
