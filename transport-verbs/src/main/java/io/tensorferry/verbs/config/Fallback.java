package io.tensorferry.verbs.config;

/// The transport for receives when no channel to their peer can be set up.
public enum Fallback {
    /// No fallback: the receives fail.
    NONE("none"),
    /// gRPC, which also carries the set-up of channels. Both ends must enable it.
    GRPC("grpc");

    private final String word;

    Fallback(String word) {
        this.word = word;
    }

    /// The value of the configuration variable.
    @Override
    public String toString() {
        return word;
    }
}
