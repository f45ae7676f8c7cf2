package io.tensorferry.verbs.device;
public record RdmaConfig(@org.jspecify.annotations.Nullable String device, @org.jspecify.annotations.Nullable Integer port, @org.jspecify.annotations.Nullable Integer gidIndex, int pkeyIndex, int queueDepth, int timeout, int retryCount, int serviceLevel, @org.jspecify.annotations.Nullable Integer mtu, int trafficClass) {}
