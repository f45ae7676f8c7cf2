package io.tensorferry.it.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/// A layer looks only downward.
class PackageDirectionTest {
    /// The classes of the product's modules, without the command line.
    static final JavaClasses PRODUCT = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("test-support"))
            .importPackages(
                    "io.tensorferry.api..",
                    "io.tensorferry.cuda..",
                    "io.tensorferry.verbs..",
                    "io.tensorferry.testing..",
                    "io.tensorferry.grpc..",
                    "io.tensorferry.proto..",
                    "io.tensorferry.bindings..");

    @Test
    void layersLookDownward() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("api")
                .definedBy("io.tensorferry.api..")
                .layer("proto")
                .definedBy("io.tensorferry.proto..")
                .layer("bindings")
                .definedBy("io.tensorferry.bindings..")
                .layer("cuda")
                .definedBy("io.tensorferry.cuda..")
                .layer("device")
                .definedBy("io.tensorferry.verbs.device")
                .layer("devices")
                .definedBy(
                        "io.tensorferry.verbs.device.support..",
                        "io.tensorferry.verbs.device.ibverbs..",
                        "io.tensorferry.verbs.device.software..")
                .layer("choice")
                .definedBy("io.tensorferry.verbs.device.choice..")
                .layer("config")
                .definedBy("io.tensorferry.verbs.config..")
                .layer("statistics")
                .definedBy("io.tensorferry.verbs.statistics..")
                .layer("loop")
                .definedBy("io.tensorferry.verbs.loop..")
                .layer("link")
                .definedBy("io.tensorferry.verbs.link..")
                .layer("memory")
                .definedBy("io.tensorferry.verbs.memory..")
                .layer("accelerator")
                .definedBy("io.tensorferry.verbs.accelerator..")
                .layer("wire")
                .definedBy("io.tensorferry.verbs.wire..")
                .layer("placement")
                .definedBy("io.tensorferry.verbs.placement..")
                .layer("channel")
                .definedBy("io.tensorferry.verbs.channel..")
                .layer("rendezvous")
                .definedBy("io.tensorferry.verbs.rendezvous..")
                .layer("edge")
                .definedBy("io.tensorferry.verbs.edge..")
                .layer("partition")
                .definedBy("io.tensorferry.verbs.partition..")
                .layer("testing")
                .definedBy("io.tensorferry.testing..")
                .layer("grpc")
                .definedBy("io.tensorferry.grpc..")
                .whereLayer("grpc")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("cuda")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("testing")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("rendezvous")
                .mayOnlyBeAccessedByLayers("testing", "grpc")
                .whereLayer("edge")
                .mayOnlyBeAccessedByLayers("testing", "grpc")
                .whereLayer("partition")
                .mayOnlyBeAccessedByLayers("testing", "grpc")
                .whereLayer("link")
                .mayOnlyBeAccessedByLayers("rendezvous", "edge", "partition", "testing", "grpc")
                .whereLayer("channel")
                .mayOnlyBeAccessedByLayers("link", "rendezvous", "edge", "partition", "testing", "grpc")
                .whereLayer("loop")
                .mayOnlyBeAccessedByLayers("channel", "link", "rendezvous", "edge", "partition", "testing", "grpc")
                .whereLayer("choice")
                .mayOnlyBeAccessedByLayers("channel", "link", "testing", "grpc")
                .whereLayer("config")
                .mayOnlyBeAccessedByLayers(
                        "choice",
                        "devices",
                        "memory",
                        "accelerator",
                        "channel",
                        "link",
                        "rendezvous",
                        "testing",
                        "grpc")
                .whereLayer("statistics")
                .mayOnlyBeAccessedByLayers(
                        "memory", "accelerator", "channel", "link", "rendezvous", "edge", "partition", "grpc")
                .whereLayer("wire")
                .mayOnlyBeAccessedByLayers("channel", "link", "rendezvous", "edge", "partition")
                .whereLayer("placement")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("accelerator")
                .mayOnlyBeAccessedByLayers("rendezvous", "testing", "grpc")
                .whereLayer("memory")
                .mayOnlyBeAccessedByLayers(
                        "accelerator", "channel", "link", "rendezvous", "edge", "partition", "testing", "grpc")
                .whereLayer("devices")
                .mayOnlyBeAccessedByLayers("testing", "grpc")
                .whereLayer("device")
                .mayOnlyBeAccessedByLayers(
                        "devices",
                        "config",
                        "choice",
                        "statistics",
                        "memory",
                        "accelerator",
                        "loop",
                        "channel",
                        "link",
                        "rendezvous",
                        "edge",
                        "partition",
                        "testing",
                        "grpc")
                .whereLayer("bindings")
                .mayOnlyBeAccessedByLayers("cuda", "devices", "memory", "testing")
                .whereLayer("proto")
                .mayOnlyBeAccessedByLayers("rendezvous", "grpc")
                .check(PRODUCT);
    }

    @Test
    void theApiDependsOnNothingButLoggingAndNullness() {
        classes()
                .that()
                .resideInAPackage("io.tensorferry.api..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("io.tensorferry.api..", "java..", "org.slf4j..", "org.jspecify..")
                .check(PRODUCT);
    }

    @Test
    void theCudaModuleKnowsTheApiAndTheBindingsAlone() {
        classes()
                .that()
                .resideInAPackage("io.tensorferry.cuda..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.tensorferry.cuda..",
                        "io.tensorferry.api..",
                        "io.tensorferry.bindings..",
                        "java..",
                        "org.slf4j..",
                        "org.jspecify..")
                .check(PRODUCT);
    }

    @Test
    void nobodyElseTouchesTheCudaDriver() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.tensorferry.cuda..", "io.tensorferry.bindings..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.tensorferry.bindings.cuda..")
                .check(PRODUCT);
    }

    @Test
    void messagesArePure() {
        noClasses()
                .that()
                .resideInAPackage("io.tensorferry.verbs.wire..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.util.concurrent..", "java.net..", "java.nio.channels..", "org.slf4j..")
                .check(PRODUCT);
    }

    @Test
    void plansArePure() {
        classes()
                .that()
                .resideInAPackage("io.tensorferry.verbs.placement..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "io.tensorferry.verbs.placement..",
                        "io.tensorferry.api..",
                        "java.lang..",
                        "java.util",
                        "java.util.function",
                        "java.util.stream",
                        "org.jspecify..")
                .check(PRODUCT);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.tensorferry.(**)").should().beFreeOfCycles().check(PRODUCT);
    }

    /// A class that the software device or CUDA uses must not initialise what loads libibverbs: most machines have
    /// none.
    @Test
    void onlyTheVerbsKnowTheLibraryOfVerbs() {
        noClasses()
                .that()
                .resideInAPackage("io.tensorferry.bindings")
                .and()
                .haveNameNotMatching("io\\.tensorferry\\.bindings\\.(\\w+Verbs|Ibverbs\\w+)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.tensorferry.bindings.ibverbs..")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("io\\.tensorferry\\.bindings\\.\\w+Verbs(\\$.*)?")
                .check(PRODUCT);
    }
}
