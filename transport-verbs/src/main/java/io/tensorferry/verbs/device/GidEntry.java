package io.tensorferry.verbs.device;

/// An entry of a port's GID table.
///
/// @param index the index in the table
/// @param gid the identifier; zero if the entry is unused
/// @param type the framing of packets with this GID
public record GidEntry(int index, Gid gid, Type type) {
    public enum Type {
        INFINIBAND("InfiniBand"),
        ROCE_V1("RoCE v1"),
        ROCE_V2("RoCE v2");

        private final String text;

        Type(String text) {
            this.text = text;
        }

        /// For example `RoCE v2`.
        @Override
        public String toString() {
            return text;
        }
    }

    /// For example `GID 3 ::ffff:10.0.0.1 (RoCE v2)`.
    @Override
    public String toString() {
        return "GID " + index + " " + gid + " (" + type + ")";
    }
}
