package io.tensorferry.cli.console;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import java.util.function.Function;

/// Writes output for scripts.
public final class Json {
    private static final Gson PRETTY = new GsonBuilder()
            .setPrettyPrinting()
            .serializeNulls()
            .disableHtmlEscaping()
            .create();

    private Json() {}

    /// Multi-line text; absent values are `null`.
    public static String pretty(JsonElement element) {
        return PRETTY.toJson(element);
    }

    public static <T> JsonArray array(Iterable<T> values, Function<T, ? extends JsonElement> each) {
        var array = new JsonArray();
        values.forEach(value -> array.add(each.apply(value)));
        return array;
    }
}
