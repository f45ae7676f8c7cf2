package io.tensorferry.cli.console;

/// The version of this TensorFerry.
public final class Product {
    private Product() {}

    /// For example `1.2.0`; `development` if not run from a jar.
    public static String version() {
        String version = Product.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
