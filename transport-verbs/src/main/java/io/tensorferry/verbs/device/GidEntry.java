package io.tensorferry.verbs.device;

/// An entry of a port's GID table.
///
/// @param index the entry's place in the table
/// @param gid the identifier; zero where the entry is unused
/// @param type how packets with this GID are framed
public record GidEntry(int index, Gid gid, Type type) {
    public enum Type {
        INFINIBAND,
        ROCE_V1,
        ROCE_V2
    }
}
