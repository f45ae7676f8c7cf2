package io.tensorferry.verbs.device.software.connect;

import java.net.Inet4Address;
import java.time.Duration;

/// Configuration of a device's listener.
///
/// @param deviceName used in the name of the loop's thread
/// @param bindAddress the address to listen on, which also forms the GID
/// @param backlog connections that the kernel queues while the loop is busy
/// @param helloTimeout the time in which a connection must deliver its hello, and in which a hello must be answered
/// @param mostGreetings the maximum number of connections without a hello
public record ListenOptions(
        String deviceName, Inet4Address bindAddress, int backlog, Duration helloTimeout, int mostGreetings) {}
