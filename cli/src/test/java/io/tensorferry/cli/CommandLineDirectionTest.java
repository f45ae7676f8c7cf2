package io.tensorferry.cli;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/// The command line stands above the server and uses what any application may use.
class CommandLineDirectionTest {
    private static final JavaClasses COMMAND_LINE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.tensorferry.cli..");

    @Test
    void usesTheServerAndDescriptionsOfDevicesAndChannelsOnly() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage(
                        "io.tensorferry.cli..",
                        "io.tensorferry.grpc",
                        "io.tensorferry.grpc.cluster",
                        "io.tensorferry.grpc.security",
                        "io.tensorferry.api",
                        "io.tensorferry.cuda",
                        "io.tensorferry.verbs.config",
                        "io.tensorferry.verbs.device",
                        "io.tensorferry.verbs.device.choice",
                        "io.tensorferry.verbs.memory",
                        "io.tensorferry.verbs.statistics",
                        "com.google.gson",
                        "picocli",
                        "org.jspecify..",
                        "java.."))
                .check(COMMAND_LINE);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching("io.tensorferry.cli.(*)..").should().beFreeOfCycles().check(COMMAND_LINE);
    }
}
