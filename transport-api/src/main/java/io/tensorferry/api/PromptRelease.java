package io.tensorferry.api;

/// The release action of memory that belongs to a transport: it neither waits nor throws, so it runs on the thread that
/// closes the last handle, whichever that is. For implementers of transports.
@FunctionalInterface
public interface PromptRelease extends Runnable {}
