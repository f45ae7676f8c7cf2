package io.tensorferry.api;

import java.util.regex.Pattern;

/// The full name of a device of the cluster, as `/job:worker/replica:0/task:1/device:CPU:0`. Immutable.
///
/// @param job the job's name, of letters, digits, `_`, `.` and `-`
/// @param replica the replica, 0 or more
/// @param task the task within the job, 0 or more
/// @param type the kind of device in capitals, as `CPU` or `GPU`
/// @param index the device of that kind on that worker, 0 or more
public record DeviceName(String job, int replica, int task, String type, int index) {
    private static final Pattern FORM = Pattern.compile(
            "/job:([A-Za-z][A-Za-z0-9_.-]*)/replica:(\\d{1,9})/task:(\\d{1,9})/device:([A-Z][A-Z0-9_]*):(\\d{1,9})");

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

    /// The worker that has this device, as `/job:worker/replica:0/task:1`.
    public String worker() {
        return workerName(job, replica, task);
    }

    /// A worker's name, as `/job:worker/replica:0/task:1`.
    public static String workerName(String job, int replica, int task) {
        return "/job:" + job + "/replica:" + replica + "/task:" + task;
    }

    @Override
    public String toString() {
        return worker() + "/device:" + type + ":" + index;
    }
}
