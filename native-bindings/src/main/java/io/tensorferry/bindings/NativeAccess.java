package io.tensorferry.bindings;

/// Describes the permission that lets this module call native code.
final class NativeAccess {
    private NativeAccess() {}

    /// The message for every error of denied native access, with the flag that resolves it.
    static String denied() {
        Module self = NativeAccess.class.getModule();
        return "this JVM does not let TensorFerry call native code: start it with --enable-native-access="
                + (self.isNamed()
                        ? self.getName()
                        : "ALL-UNNAMED, or give an executable jar the manifest entry Enable-Native-Access: ALL-UNNAMED");
    }
}
