package io.tensorferry.cli;

import io.tensorferry.cli.console.Product;
import picocli.CommandLine.IVersionProvider;

/// Provides the output of `--version`.
final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {
            "tensorferry " + Product.version() + " (Java " + Runtime.version() + ", " + System.getProperty("os.name")
                    + " " + System.getProperty("os.arch") + ")"
        };
    }
}
