package io.tensorferry.cli.console;

import io.tensorferry.verbs.config.RdmaConfig;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/// The `RDMA_*` variables of the environment.
public final class Settings {
    private static final String PREFIX = "RDMA_";

    private Settings() {}

    /// @throws ParameterException if a value is invalid, which is a usage error
    public static RdmaConfig rdma(Map<String, String> environment, CommandSpec spec) {
        try {
            return RdmaConfig.from(environment);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /// The variables that are set, for example `RDMA_DEVICE=mlx5_0`, by name.
    public static List<String> given(Map<String, String> environment) {
        return new TreeMap<>(environment)
                .entrySet().stream()
                        .filter(variable -> variable.getKey().startsWith(PREFIX)
                                && !variable.getValue().isBlank())
                        .map(variable -> variable.getKey() + "=" + variable.getValue())
                        .toList();
    }
}
