import org.jspecify.annotations.NullMarked;

/// The command line. No other module depends on it.
@NullMarked
module io.tensorferry.cli {
    requires com.google.gson;
    requires info.picocli;
    requires io.tensorferry.cuda;
    requires io.tensorferry.grpc;
    requires static org.jspecify;

    // picocli sets the fields of commands; Gson creates the records that the two ends of a check exchange.
    opens io.tensorferry.cli to
            info.picocli;
    opens io.tensorferry.cli.console to
            info.picocli;
    opens io.tensorferry.cli.devices to
            info.picocli;
    opens io.tensorferry.cli.check to
            com.google.gson,
            info.picocli;
}
