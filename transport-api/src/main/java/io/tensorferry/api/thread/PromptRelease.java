package io.tensorferry.api.thread;

/// A release action that neither waits nor throws, for memory that belongs to a transport. It runs on the thread that
/// closes the last handle, even if that is a thread of the transport. For implementers of transports.
@FunctionalInterface
public interface PromptRelease extends Runnable {}
