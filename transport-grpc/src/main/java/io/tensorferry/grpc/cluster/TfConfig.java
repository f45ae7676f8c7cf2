package io.tensorferry.grpc.cluster;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The parsed and validated text of `TF_CONFIG`: the cluster and, if present, this process' task and the protocol.
///
/// @param task null if the text has no task
/// @param protocol the field `rpc_layer`; null if the text has none
record TfConfig(
        ClusterSpec cluster, @Nullable Task task, @Nullable String protocol) {
    private static final String FORM = "{\"cluster\": {\"ps\": [\"host:port\"], \"worker\": [\"host:port\"]},"
            + " \"task\": {\"type\": \"worker\", \"index\": 0}}";

    // Matches Gson's location, as "at line 1 column 27 path $.cluster.w[1]".
    private static final Pattern PLACE = Pattern.compile("at line (\\d+) column (\\d+) path \\$\\.?(\\S*)");
    private static final int LONGEST_FIELD = 100;

    /// @param job the field `task.type`
    /// @param index the field `task.index`
    record Task(String job, int index) {}

    /// Parses and validates the text of `TF_CONFIG`.
    ///
    /// @throws IllegalArgumentException if a value is invalid; the message names the field, its value and the accepted
    ///     form
    static TfConfig parse(String json) {
        JsonObject root = object(read(json), "the text");
        JsonElement cluster = root.get("cluster");
        if (cluster == null) {
            throw wrong("field 'cluster' is missing; the form is " + FORM);
        }
        JsonElement task = root.get("task");
        JsonElement protocol = root.get("rpc_layer");
        return new TfConfig(
                clusterOf(object(cluster, "field 'cluster'")),
                task == null ? null : taskOf(object(task, "field 'task'")),
                protocol == null ? null : string(protocol, "field 'rpc_layer'"));
    }

    private static JsonElement read(String json) {
        // Strict, because tools write TF_CONFIG: a lenient parse of a malformed text would yield a wrong cluster.
        try (var reader = new JsonReader(new StringReader(json))) {
            reader.setStrictness(Strictness.STRICT);
            JsonElement element = JsonParser.parseReader(reader);
            if (element.isJsonNull()) {
                throw wrong("the text is empty; the form is " + FORM);
            }
            if (reader.peek() != JsonToken.END_DOCUMENT) {
                throw wrong("there is text after the end of the object; the form is " + FORM);
            }
            return element;
        } catch (IOException | JsonParseException e) {
            throw new IllegalArgumentException(
                    "TF_CONFIG is not JSON" + place(String.valueOf(e.getMessage())) + "; the form is " + FORM, e);
        }
    }

    /// Extracts the location from Gson's message. The rest of the message addresses Gson's callers and is dropped.
    private static String place(String gson) {
        var place = PLACE.matcher(gson);
        if (!place.find()) {
            return "";
        }
        String field = place.group(3);
        return (gson.contains("End of input") ? ": it ends too early, at" : " at") + " line " + place.group(1)
                + ", column " + place.group(2)
                + (field.isEmpty() || field.length() > LONGEST_FIELD ? "" : " (field '" + field + "')");
    }

    private static ClusterSpec clusterOf(JsonObject cluster) {
        var jobs = new HashMap<String, Map<Integer, String>>();
        cluster.asMap().forEach((job, tasks) -> jobs.put(job, tasksOf(tasks, "field 'cluster." + job + "'")));
        try {
            return ClusterSpec.ofTasks(jobs);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("TF_CONFIG: field 'cluster': " + e.getMessage(), e);
        }
    }

    private static Map<Integer, String> tasksOf(JsonElement tasks, String field) {
        var addresses = new HashMap<Integer, String>();
        if (tasks instanceof JsonArray list) {
            for (int task = 0; task < list.size(); task++) {
                addresses.put(task, string(list.get(task), field + ", element " + task));
            }
        } else if (tasks instanceof JsonObject map) {
            map.asMap()
                    .forEach((task, address) ->
                            addresses.put(number(task, field + ", key '" + task + "'"), string(address, field)));
        } else {
            throw wrong(field + " is " + tasks + "; it must be a list [\"host:port\"] or a map {\"0\": \"host:port\"}");
        }
        return addresses;
    }

    private static Task taskOf(JsonObject task) {
        JsonElement type = task.get("type");
        JsonElement index = task.get("index");
        if (type == null || index == null) {
            throw wrong("field 'task' is " + task + "; it must be {\"type\": \"worker\", \"index\": 0}");
        }
        if (!index.isJsonPrimitive()) {
            throw wrong("field 'task.index' is " + index + "; it must be a number, 0 or more");
        }
        // Some launchers write the index as a string.
        return new Task(string(type, "field 'task.type'"), number(index.getAsString(), "field 'task.index'"));
    }

    private static JsonObject object(JsonElement element, String field) {
        if (element instanceof JsonObject object) {
            return object;
        }
        throw wrong(field + " is " + element + "; it must be an object, as in " + FORM);
    }

    private static String string(JsonElement element, String field) {
        if (element.isJsonPrimitive() && element.getAsJsonPrimitive().isString()) {
            return element.getAsString();
        }
        throw wrong(field + " is " + element + "; it must be a string");
    }

    private static int number(String text, String field) {
        try {
            int number = Integer.parseInt(text);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException _) {
            // Reported below, together with negative numbers.
        }
        throw wrong(field + " is '" + text + "'; it must be a task's number, 0 or more");
    }

    private static IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("TF_CONFIG: " + what);
    }
}
