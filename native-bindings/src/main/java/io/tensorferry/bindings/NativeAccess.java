package io.tensorferry.bindings;

/// What an application must allow, so that its JVM lets this module call native code.
final class NativeAccess {
    private NativeAccess() {}

    /// For every error that is due to it: the one flag that helps.
    static String denied() {
        Module self = NativeAccess.class.getModule();
        return "this JVM does not let TensorFerry call native code: start it with --enable-native-access="
                + (self.isNamed()
                        ? self.getName()
                        : "ALL-UNNAMED, or give an executable jar the manifest entry Enable-Native-Access: ALL-UNNAMED");
    }
}
