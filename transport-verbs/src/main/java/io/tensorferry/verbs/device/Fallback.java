package io.tensorferry.verbs.device;

/// What carries receives where no channel to their peer can be had.
public enum Fallback {
    /// Nothing: they fail.
    NONE("none"),
    /// gRPC, which sets up the channels too. Both ends must allow it.
    GRPC("grpc");

    private final String word;

    Fallback(String word) {
        this.word = word;
    }

    /// As `RDMA_FALLBACK` says it.
    ///
    /// @throws IllegalArgumentException naming `variable` and what is accepted
    static Fallback parse(String variable, String value) {
        for (Fallback fallback : values()) {
            if (fallback.word.equals(value)) {
                return fallback;
            }
        }
        throw new IllegalArgumentException(variable + " is '" + value + "'; accepted: none, grpc");
    }

    /// The word that the configuration has for it.
    @Override
    public String toString() {
        return word;
    }
}
