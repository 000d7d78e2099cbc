package dev.parley.e2e;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Holds the direction of dependencies that docs/ARCHITECTURE.md draws. */
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("dev.parley");

    @Test
    void seesEveryModule() {
        assertThat(CLASSES.stream().map(ArchitectureTest::module).distinct())
                .contains(
                        "app",
                        "relay",
                        "transceiver",
                        "signaling",
                        "inferencestub",
                        "rtc",
                        "runtime",
                        "otel",
                        "proto");
    }

    @Test
    void dependenciesPointOneWay() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("app")
                .definedBy("dev.parley.app..")
                .layer("relay")
                .definedBy("dev.parley.relay..")
                .layer("transceiver")
                .definedBy("dev.parley.transceiver..")
                .layer("signaling")
                .definedBy("dev.parley.signaling..")
                .layer("inference stub")
                .definedBy("dev.parley.inferencestub..")
                .layer("otel")
                .definedBy("dev.parley.otel..")
                .layer("proto")
                .definedBy("dev.parley.proto..")
                .layer("runtime")
                .definedBy("dev.parley.runtime..")
                .layer("rtc")
                .definedBy("dev.parley.rtc..")
                .whereLayer("app")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("relay")
                .mayOnlyBeAccessedByLayers("app")
                .whereLayer("transceiver")
                .mayOnlyBeAccessedByLayers("app")
                .whereLayer("signaling")
                .mayOnlyBeAccessedByLayers("app")
                .whereLayer("inference stub")
                .mayOnlyBeAccessedByLayers("app")
                .whereLayer("otel")
                .mayNotAccessAnyLayer()
                .whereLayer("proto")
                .mayNotAccessAnyLayer()
                .whereLayer("runtime")
                .mayNotAccessAnyLayer()
                .whereLayer("rtc")
                .mayNotAccessAnyLayer()
                .check(CLASSES);
    }

    @Test
    void inferenceAndRelayKnowNothingOfEachOthersBusiness() {
        noClasses()
                .that()
                .resideInAPackage("dev.parley.inferencestub..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.parley.rtc..")
                .because("inference never sees WebRTC")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAnyPackage(
                        "dev.parley.transceiver.inference..",
                        "dev.parley.transceiver.session..",
                        "dev.parley.transceiver.media..",
                        "dev.parley.transceiver.control..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.parley.transceiver.realtime..")
                .because("the core knows its event surfaces by their interface alone")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("dev.parley.relay..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.parley.rtc.dtls..",
                        "dev.parley.rtc.srtp..",
                        "dev.parley.rtc.sdp..",
                        "dev.parley.proto..")
                .because("the relay only routes")
                .check(CLASSES);
    }

    private static String module(JavaClass type) {
        String below = type.getPackageName().substring("dev.parley.".length());
        int dot = below.indexOf('.');
        return dot < 0 ? below : below.substring(0, dot);
    }
}
