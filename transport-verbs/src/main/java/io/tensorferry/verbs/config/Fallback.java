package io.tensorferry.verbs.config;

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

    /// The word that the configuration has for it.
    @Override
    public String toString() {
        return word;
    }
}
