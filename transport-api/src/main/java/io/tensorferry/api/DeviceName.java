package io.tensorferry.api;

import java.util.regex.Pattern;

/// The full name of a device in the cluster, as `/job:worker/replica:0/task:1/device:CPU:0`. Immutable.
///
/// @param job the job's name: letters, digits, `_`, `.` and `-`, starting with a letter
/// @param replica the replica, 0 to 999,999,999
/// @param task the task within the job, 0 to 999,999,999
/// @param type the kind of device: capitals, digits and `_`, starting with a capital, as `CPU` or `GPU`
/// @param index the index among the worker's devices of that kind, 0 to 999,999,999
public record DeviceName(String job, int replica, int task, String type, int index) {
    private static final Pattern JOB = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");
    private static final Pattern TYPE = Pattern.compile("[A-Z][A-Z0-9_]*");
    private static final Pattern FORM =
            Pattern.compile("/job:(" + JOB + ")/replica:(\\d{1,9})/task:(\\d{1,9})/device:(" + TYPE + "):(\\d{1,9})");
    private static final int LARGEST_NUMBER = 999_999_999;

    /// @throws IllegalArgumentException if a part is malformed or out of its range; every instance prints in a form
    ///     that [#parse] accepts
    public DeviceName {
        if (!JOB.matcher(job).matches()) {
            throw new IllegalArgumentException("job '" + job + "' is not of the form " + JOB);
        }
        requireNumber("replica", replica);
        requireNumber("task", task);
        if (!TYPE.matcher(type).matches()) {
            throw new IllegalArgumentException("device type '" + type + "' is not of the form " + TYPE);
        }
        requireNumber("device index", index);
    }

    private static void requireNumber(String part, int value) {
        if (value < 0 || value > LARGEST_NUMBER) {
            throw new IllegalArgumentException(part + " " + value + " is not in 0.." + LARGEST_NUMBER);
        }
    }

    /// Parses the form that [#toString()] prints.
    ///
    /// @throws IllegalArgumentException if `name` has another form
    public static DeviceName parse(String name) {
        var matcher = FORM.matcher(name);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "device name '" + name + "' is not of the form /job:NAME/replica:N/task:N/device:TYPE:N");
        }
        return new DeviceName(
                matcher.group(1),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)),
                matcher.group(4),
                Integer.parseInt(matcher.group(5)));
    }

    /// The name of the worker that has this device, as `/job:worker/replica:0/task:1`.
    public String worker() {
        return workerName(job, replica, task);
    }

    /// Formats a worker's name, as `/job:worker/replica:0/task:1`.
    public static String workerName(String job, int replica, int task) {
        return "/job:" + job + "/replica:" + replica + "/task:" + task;
    }

    @Override
    public String toString() {
        return worker() + "/device:" + type + ":" + index;
    }
}
