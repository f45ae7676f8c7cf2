package io.tensorferry.bindings;

/// What an application must allow, so that its JVM lets this module call native code.
final class NativeAccess {
    /// For every error that is due to it.
    static final String DENIED = "this JVM does not let TensorFerry call native code: start it with "
            + "--enable-native-access=io.tensorferry.bindings, or with --enable-native-access=ALL-UNNAMED where TensorFerry"
            + " is on the class path";

    private NativeAccess() {}
}
