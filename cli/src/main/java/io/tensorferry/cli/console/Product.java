package io.tensorferry.cli.console;

/// Which TensorFerry this is.
public final class Product {
    private Product() {}

    /// As `1.2.0`; `development` where it does not run from a jar.
    public static String version() {
        String version = Product.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
