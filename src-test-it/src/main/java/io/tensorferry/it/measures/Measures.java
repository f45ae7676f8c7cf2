package io.tensorferry.it.measures;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/// Prints the size of each package, and how many of its classes a warm receive of 1 MiB passes.
///
/// A class counts if JaCoCo saw one of its probes executed in every round of [WarmReceive], at either end. A class is a
/// class file: nested classes, records and enums count of their own. A lambda belongs to the class whose text contains
/// it. No probe, so never counted: an interface without code, a `package-info`, and a class of constants, which the
/// compiler copies. An enum counts if one of its methods runs, not if its constants are only compared.
///
/// The packages are those of `verbs` and `grpc`. The devices (`verbs.device` and below) are the hardware's part, and
/// `api` is the application's; both are left out.
@Command(
        name = "measures",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "The classes that a warm receive of 1 MiB passes at both ends, and files and lines by package.")
public final class Measures implements Callable<Integer> {
    private static final List<String> COUNTED = List.of("io.tensorferry.verbs.", "io.tensorferry.grpc.");
    private static final String DEVICES = "io.tensorferry.verbs.device.";
    private static final String PREFIX = "io.tensorferry.";
    private static final String LINE = "%-40s %6s %8s %8s%n";

    @Option(names = "--root", required = true, paramLabel = "FOLDER", description = "the folder of the repository")
    private Path root = Path.of("");

    @Option(
            names = "--list",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description = "prints the classes too, by package")
    private boolean list;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Measures()).execute(arguments));
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        SortedMap<String, MainSources.Size> sizes = MainSources.of(root);
        SortedSet<String> passed = passed();
        MainSources.Size all = MainSources.Size.NONE;
        System.out.printf(Locale.ROOT, LINE, "package", "files", "lines", "passed");
        for (var entry : sizes.entrySet()) {
            MainSources.Size size = entry.getValue();
            all = all.plus(size);
            String name = entry.getKey();
            long count =
                    passed.stream().filter(one -> packageOf(one).equals(name)).count();
            print(name.isEmpty() ? "(module descriptors)" : shorter(name), size, count);
        }
        print("all", all, passed.size());
        System.out.printf("The classes passed stand in %d files.%n", files(passed));
        if (list) {
            printList(passed);
        }
        return 0;
    }

    private static SortedSet<String> passed() throws IOException, InterruptedException {
        try (var receive = new WarmReceive()) {
            var counted = new TreeSet<>(receive.classes());
            counted.removeIf(
                    name -> name.startsWith(DEVICES) || COUNTED.stream().noneMatch(name::startsWith));
            return counted;
        }
    }

    /// The number of source files: a nested class stands in the file of its outermost class.
    private static long files(SortedSet<String> classes) {
        return classes.stream()
                .map(name -> name.contains("$") ? name.substring(0, name.indexOf('$')) : name)
                .distinct()
                .count();
    }

    private static void print(String name, MainSources.Size size, long passed) {
        System.out.printf(Locale.ROOT, LINE, name, size.files(), size.lines(), passed == 0 ? "" : passed);
    }

    private static void printList(SortedSet<String> passed) {
        var packages = new TreeSet<String>();
        passed.forEach(name -> packages.add(packageOf(name)));
        for (String name : packages) {
            System.out.printf("%n%s%n", shorter(name));
            passed.stream()
                    .filter(one -> packageOf(one).equals(name))
                    .forEach(one -> System.out.println("  " + one.substring(name.length() + 1)));
        }
    }

    private static String packageOf(String className) {
        return className.substring(0, className.lastIndexOf('.'));
    }

    private static String shorter(String packageName) {
        return packageName.startsWith(PREFIX) ? packageName.substring(PREFIX.length()) : packageName;
    }
}
