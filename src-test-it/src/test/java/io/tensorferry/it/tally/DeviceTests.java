package io.tensorferry.it.tally;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/// Tests that show something of a device, counted in the line with which `mvn verify` ends.
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
public @interface DeviceTests {
    /// What the line calls them: `device`, `rendezvous`, `process`.
    String kind();

    /// Which device they run on.
    On on();

    /// Where tests run.
    enum On {
        /// On the software device.
        SOFTWARE,
        /// On the device that `-Drdma.device` names; without it they are skipped and not counted.
        NAMED,
        /// On the device that `-Drdma.device` names; without it on the software device.
        NAMED_OR_SOFTWARE,
        /// On Soft-RoCE in the guest.
        GUEST,
        /// On a GPU, with the software device.
        CUDA
    }
}
