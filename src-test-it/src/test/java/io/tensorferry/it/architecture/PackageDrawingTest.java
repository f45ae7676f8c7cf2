package io.tensorferry.it.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/// The drawing of the packages in the documentation shows the packages of the product, each above those that it
/// depends on.
class PackageDrawingTest {
    private static final Path DRAWING = Path.of(System.getProperty("basedir", "."))
            .resolve("../docs/images/packages.svg")
            .normalize();
    private static final String PREFIX = "io.tensorferry.";

    // The drawing shows the command line as one box.
    private static final JavaClasses PRODUCT = PackageDirectionTest.PRODUCT;

    @Test
    void theDrawingNamesEveryPackageAndNoOther() throws Exception {
        assertThat(drawnHeights().keySet())
                .as("packages that %s names", DRAWING)
                .containsExactlyInAnyOrderElementsOf(existing());
    }

    @Test
    void everyPackageStandsAboveThoseItDependsOn() throws Exception {
        Map<String, Integer> heights = drawnHeights();
        var upward = new TreeSet<String>();
        var compared = new TreeSet<String>();
        for (JavaClass type : PRODUCT) {
            for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
                String upper = shortName(type);
                String lower = shortName(dependency.getTargetClass());
                Integer from = heights.get(upper);
                Integer to = heights.get(lower);
                if (from != null && to != null && !upper.equals(lower)) {
                    compared.add(upper + " -> " + lower);
                    if (from >= to) {
                        upward.add(upper + " -> " + lower);
                    }
                }
            }
        }

        assertThat(compared).isNotEmpty();
        assertThat(upward)
                .as("dependencies that do not point downward in %s", DRAWING)
                .isEmpty();
    }

    private static SortedSet<String> existing() {
        return PRODUCT.stream().map(PackageDrawingTest::shortName).collect(toCollection(TreeSet::new));
    }

    private static String shortName(JavaClass type) {
        String name = type.getBaseComponentType().getPackageName();
        return name.startsWith(PREFIX) ? name.substring(PREFIX.length()) : name;
    }

    /// The drawn packages and the `y` of their names, which grows downward. A text of class `m` is a name. The `id` of
    /// the group around it is the part that the drawing leaves out.
    private static Map<String, Integer> drawnHeights() throws Exception {
        var heights = new TreeMap<String, Integer>();
        NodeList texts = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(DRAWING.toFile())
                .getElementsByTagName("text");
        for (int i = 0; i < texts.getLength(); i++) {
            var text = (Element) texts.item(i);
            if (List.of(text.getAttribute("class").split(" ")).contains("m")) {
                String group = ((Element) text.getParentNode()).getAttribute("id");
                String name = text.getTextContent().strip();
                Integer other = heights.put(
                        group.isEmpty() ? name : group + "." + name, Integer.valueOf(text.getAttribute("y")));
                assertThat(other).as("a second box of " + name).isNull();
            }
        }
        return heights;
    }
}
