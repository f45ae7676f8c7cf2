package io.tensorferry.cli.check;

import io.tensorferry.api.Accelerator;
import io.tensorferry.api.TransportException;
import java.util.Stack;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// The option of both ends of a check that places this end's tensors on a GPU.
final class GpuOption {
    @Option(
            names = "--gpu",
            arity = "0..1",
            paramLabel = "N",
            parameterConsumer = OptionalNumber.class,
            description = "place this end's tensors, sent and received, on GPU N, or 0; without the option they are in"
                    + " host memory, independently of the other end")
    private @Nullable Integer ordinal;

    /// Opens the GPU, which the caller closes; null if the option was not given.
    ///
    /// @param gpus opens a GPU by its number
    /// @throws TransportException if the GPU cannot be opened, with the reason
    @Nullable
    Accelerator open(IntFunction<? extends Accelerator> gpus) {
        Integer wanted = ordinal;
        if (wanted == null) {
            return null;
        }
        try {
            return gpus.apply(wanted);
        } catch (TransportException e) {
            throw e.within("--gpu=" + wanted + " cannot be used", null);
        }
    }

    /// Consumes the next argument, unless it is another option or the address: `--gpu HOST:PORT` means GPU 0.
    static final class OptionalNumber implements IParameterConsumer {
        private static final Pattern OTHER = Pattern.compile("-.*|.*:.*");
        private static final Pattern NUMBER = Pattern.compile("\\d{1,4}");

        @Override
        public void consumeParameters(Stack<String> arguments, ArgSpec option, CommandSpec command) {
            if (arguments.isEmpty() || OTHER.matcher(arguments.peek()).matches()) {
                option.setValue(0);
                return;
            }
            String text = arguments.pop();
            if (!NUMBER.matcher(text).matches()) {
                throw new ParameterException(
                        command.commandLine(),
                        "Invalid value for option '--gpu': '" + text + "' is not the number of a GPU");
            }
            option.setValue(Integer.valueOf(text));
        }
    }
}
