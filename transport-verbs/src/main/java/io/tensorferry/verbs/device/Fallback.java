package io.tensorferry.verbs.device;

import org.jspecify.annotations.Nullable;

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

    /// What `RDMA_FALLBACK` means by `word`; null if nothing.
    static @Nullable Fallback of(String word) {
        for (Fallback fallback : values()) {
            if (fallback.word.equals(word)) {
                return fallback;
            }
        }
        return null;
    }

    /// The word that the configuration has for it.
    @Override
    public String toString() {
        return word;
    }
}
