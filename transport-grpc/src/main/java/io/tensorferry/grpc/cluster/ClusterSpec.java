package io.tensorferry.grpc.cluster;

import io.tensorferry.api.DeviceName;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/// Describes the workers of a cluster: jobs, the tasks of each job, and the address of each task. Immutable. All
/// workers are given equal descriptions.
///
/// A worker's name is `/job:NAME/replica:0/task:N`. No two workers have the same address.
public final class ClusterSpec {
    private static final Pattern JOB = Pattern.compile("[A-Za-z][A-Za-z0-9_.-]*");

    private final SortedMap<String, SortedMap<Integer, WorkerAddress>> jobs;

    private ClusterSpec(SortedMap<String, SortedMap<Integer, WorkerAddress>> jobs) {
        this.jobs = jobs;
    }

    /// Creates a description whose tasks are numbered from 0.
    ///
    /// @param jobs the addresses of each job as `host:port`, in the order of its tasks
    /// @throws IllegalArgumentException if a value is invalid; the message names the job, the task and the value
    public static ClusterSpec of(Map<String, List<String>> jobs) {
        var numbered = new HashMap<String, Map<Integer, String>>();
        jobs.forEach((job, addresses) -> {
            var tasks = new HashMap<Integer, String>();
            for (int task = 0; task < addresses.size(); task++) {
                tasks.put(task, addresses.get(task));
            }
            numbered.put(job, tasks);
        });
        return ofTasks(numbered);
    }

    /// Creates a description with explicit task numbers, which need not be contiguous.
    ///
    /// @param jobs the addresses of each job as `host:port`, by task
    /// @throws IllegalArgumentException if a value is invalid; the message names the job, the task and the value
    public static ClusterSpec ofTasks(Map<String, ? extends Map<Integer, String>> jobs) {
        if (jobs.isEmpty()) {
            throw new IllegalArgumentException("the cluster has no job; it needs at least one with one task");
        }
        var checked = new TreeMap<String, SortedMap<Integer, WorkerAddress>>();
        jobs.forEach((job, tasks) -> checked.put(checkJob(job), checkTasks(job, tasks)));
        checkDistinct(checked);
        return new ClusterSpec(checked);
    }

    /// Parses the `cluster` field of TensorFlow's `TF_CONFIG`. [ServerConfig#fromTfConfig] reads the task as well.
    ///
    /// @param json as `{"cluster": {"ps": ["host:2222"], "worker": {"0": "host:2223"}}}`
    /// @throws IllegalArgumentException if a value is invalid; the message names the field and the value
    public static ClusterSpec fromTfConfig(String json) {
        return TfConfig.parse(json).cluster();
    }

    private static String checkJob(String job) {
        if (!JOB.matcher(job).matches()) {
            throw new IllegalArgumentException(
                    "job name '" + job + "' must be a letter and then letters, digits, '_', '.' or '-'");
        }
        return job;
    }

    private static SortedMap<Integer, WorkerAddress> checkTasks(String job, Map<Integer, String> tasks) {
        if (tasks.isEmpty()) {
            throw new IllegalArgumentException(
                    "job '" + job + "' has no task; leave the job out or give it an address");
        }
        var checked = new TreeMap<Integer, WorkerAddress>();
        tasks.forEach((task, address) -> {
            if (task < 0) {
                throw new IllegalArgumentException("task " + task + " of job '" + job + "' must be 0 or more");
            }
            checked.put(task, WorkerAddress.parse(address, "task " + task + " of job '" + job + "'"));
        });
        return checked;
    }

    private static void checkDistinct(SortedMap<String, SortedMap<Integer, WorkerAddress>> jobs) {
        var owners = new HashMap<WorkerAddress, String>();
        jobs.forEach((job, tasks) -> tasks.forEach((task, address) -> {
            String name = DeviceName.workerName(job, 0, task);
            String other = owners.put(address, name);
            if (other != null) {
                throw new IllegalArgumentException("address '" + address + "' is given to both " + other + " and "
                        + name + "; each needs its own");
            }
        }));
    }

    /// The names of the jobs, sorted.
    public Set<String> jobs() {
        return Collections.unmodifiableSet(jobs.keySet());
    }

    /// The tasks of `job`, sorted.
    ///
    /// @throws IllegalArgumentException if the cluster has no such job
    public Set<Integer> tasks(String job) {
        return Collections.unmodifiableSet(tasksOf(job).keySet());
    }

    /// The names of all workers, sorted, as `/job:worker/replica:0/task:1`.
    public Set<String> workers() {
        var names = new TreeSet<String>();
        jobs.forEach((job, tasks) -> tasks.keySet().forEach(task -> names.add(DeviceName.workerName(job, 0, task))));
        return names;
    }

    /// The address of a task, as `host:port`.
    ///
    /// @throws IllegalArgumentException if the cluster has no such job or task; the message lists the existing ones
    public String address(String job, int task) {
        return addressOf(job, task).toString();
    }

    /// The address of a task.
    ///
    /// @throws IllegalArgumentException if the cluster has no such job or task; the message lists the existing ones
    public WorkerAddress addressOf(String job, int task) {
        WorkerAddress address = tasksOf(job).get(task);
        if (address == null) {
            throw new IllegalArgumentException(
                    "job '" + job + "' has no task " + task + "; its tasks are " + tasks(job));
        }
        return address;
    }

    /// The addresses of all workers by name, sorted.
    public Map<String, WorkerAddress> addresses() {
        var byName = new TreeMap<String, WorkerAddress>();
        jobs.forEach((job, tasks) ->
                tasks.forEach((task, address) -> byName.put(DeviceName.workerName(job, 0, task), address)));
        return byName;
    }

    private SortedMap<Integer, WorkerAddress> tasksOf(String job) {
        SortedMap<Integer, WorkerAddress> tasks = jobs.get(job);
        if (tasks == null) {
            throw new IllegalArgumentException("the cluster has no job '" + job + "'; its jobs are " + jobs.keySet());
        }
        return tasks;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterSpec that && jobs.equals(that.jobs);
    }

    @Override
    public int hashCode() {
        return jobs.hashCode();
    }

    /// Formats the addresses as `{ps={0=host:2222}, worker={0=host:2223}}`.
    @Override
    public String toString() {
        return jobs.toString();
    }
}
