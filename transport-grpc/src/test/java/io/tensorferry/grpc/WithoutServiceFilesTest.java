package io.tensorferry.grpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// An application in one jar whose build has not merged the files of `META-INF/services`: of files of one name, it has
/// one, or none at all.
@Timeout(120)
class WithoutServiceFilesTest {
    /// The application's classes, loaded again with the service files that a test keeps.
    private static final class OneJar extends URLClassLoader {
        private static final String SERVICES = "META-INF/services/";

        private final List<String> kept;

        /// @param kept names of jars: of several jars with the same file, the first of these provides it
        OneJar(List<String> kept) {
            super(classPath(), ClassLoader.getPlatformClassLoader());
            this.kept = kept;
        }

        private static URL[] classPath() {
            return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                    .filter(entry -> !entry.isEmpty())
                    .map(entry -> {
                        try {
                            return new File(entry).toURI().toURL();
                        } catch (MalformedURLException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .toArray(URL[]::new);
        }

        @Override
        public Enumeration<URL> findResources(String name) throws IOException {
            List<URL> all = Collections.list(super.findResources(name));
            if (!name.startsWith(SERVICES)) {
                return Collections.enumeration(all);
            }
            for (String jar : kept) {
                for (URL each : all) {
                    if (each.toString().contains("/" + jar)) {
                        return Collections.enumeration(List.of(each));
                    }
                }
            }
            return Collections.emptyEnumeration();
        }
    }

    /// Keeps every loader until the process ends. Collecting a loader unloads its copy of Netty's native library, and
    /// that unloading unregisters the native methods of Netty's classes in the loader of the tests.
    private static final List<ClassLoader> LOADERS = new ArrayList<>();

    private static Object run(List<String> kept) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (var loader = new OneJar(kept)) {
            LOADERS.add(loader);
            thread.setContextClassLoader(loader);
            var application = (Callable<?>) loader.loadClass(ShadedApplication.class.getName())
                    .getConstructor()
                    .newInstance();
            return application.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Test
    void workersMeetWhereNoServiceFileIsLeft() throws Exception {
        assertThat(run(List.of())).isEqualTo(42);
    }

    /// gRPC's own files of those jars: neither has the providers that a channel needs.
    @Test
    void workersMeetWhereTheFilesOfOtherJarsHaveWon() throws Exception {
        assertThat(run(List.of("grpc-util-", "grpc-netty-shaded-"))).isEqualTo(42);
    }

    @Test
    void workersMeetWithTheFilesOfGrpcsCore() throws Exception {
        assertThat(run(List.of("grpc-core-"))).isEqualTo(42);
    }
}
