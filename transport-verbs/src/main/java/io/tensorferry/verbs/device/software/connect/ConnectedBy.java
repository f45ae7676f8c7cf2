package io.tensorferry.verbs.device.software.connect;

/// The carrier of a queue pair's requests, as returned by [io.tensorferry.verbs.device.QueuePair#way()].
enum ConnectedBy {
    NOTHING(""),
    TCP("TCP"),
    SHARED_MEMORY("shared memory");

    private final String text;

    ConnectedBy(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }
}
