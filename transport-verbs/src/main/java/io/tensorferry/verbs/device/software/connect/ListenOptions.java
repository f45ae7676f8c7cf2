package io.tensorferry.verbs.device.software.connect;

import java.net.Inet4Address;
import java.time.Duration;

/// How a device is reached.
///
/// @param deviceName names the thread
/// @param bindAddress where it listens, and what its GID says
/// @param backlog calls that the kernel keeps while the loop is busy
/// @param helloTimeout how long a connection may go without a hello, or a hello without an answer
/// @param mostGreetings connections without a hello at once
public record ListenOptions(
        String deviceName, Inet4Address bindAddress, int backlog, Duration helloTimeout, int mostGreetings) {}
