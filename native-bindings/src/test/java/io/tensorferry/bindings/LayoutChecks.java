package io.tensorferry.bindings;

import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.PaddingLayout;
import java.lang.foreign.SequenceLayout;
import java.lang.foreign.StructLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// Size, alignment and members of the types that jextract made classes of.
///
/// Two things are compared with C: the layouts, member by member, and the numbers that the classes' accessors use
/// (`x$offset()`, `x$layout()`), which stand in the class beside the layout.
final class LayoutChecks {
    /// jextract's names for unnamed C members. C accesses the members of such a member directly.
    private static final String ANONYMOUS = "$anon$";

    private static final Pattern PRIVATE = Pattern.compile("(^|\\.)__");

    private final List<Check> checks = new ArrayList<>();

    private LayoutChecks() {}

    /// The checks of `type` and of the classes in it; none where it has no layout.
    static List<Check> of(Class<?> type) {
        var made = new LayoutChecks();
        layoutOf(type).ifPresent(layout -> {
            made.group(type.getSimpleName(), cName(type, layout), layout);
            made.accessors(type.getSimpleName(), cName(type, layout), type);
            made.nested(type, cName(type, layout), "");
        });
        return List.copyOf(made.checks);
    }

    /// The layout that `type` describes, if it is a struct or a union.
    static Optional<GroupLayout> layoutOf(Class<?> type) {
        return Stream.of(type.getMethods())
                .filter(method -> method.getName().equals("layout") && takesNothing(method))
                .findFirst()
                .map(method -> (GroupLayout) call(method));
    }

    /// jextract names a layout by its tag. If the class has another name, it is the name of a typedef.
    private static String cName(Class<?> type, GroupLayout layout) {
        String name = type.getSimpleName();
        if (!layout.name().orElse(name).equals(name)) {
            return name;
        }
        return (layout instanceof StructLayout ? "struct " : "union ") + name;
    }

    private void group(String name, String cType, GroupLayout layout) {
        check(name + " size", "sizeof(" + cType + ")", layout.byteSize());
        check(name + " alignment", "_Alignof(" + cType + ")", layout.byteAlignment());
        members(name, cType, "", layout, 0);
    }

    /// The members below `layout`, which starts at `offset` of `cType` and is reached there by `path`.
    private void members(String name, String cType, String path, GroupLayout layout, long offset) {
        long next = offset;
        for (MemoryLayout member : layout.memberLayouts()) {
            if (!(member instanceof PaddingLayout)) {
                member(name, cType, path, member, next);
            }
            if (layout instanceof StructLayout) {
                next += member.byteSize();
            }
        }
    }

    private void member(String name, String cType, String path, MemoryLayout member, long offset) {
        String own = member.name().orElseThrow(() -> new AssertionError("a member without a name in " + name));
        if (own.startsWith(ANONYMOUS)) {
            members(name, cType, path, (GroupLayout) member, offset);
            return;
        }
        String here = path + own;
        offset(name + "." + here, cType, here, offset);
        size(name + "." + here, cType, here, member.byteSize());
        if (member instanceof GroupLayout group) {
            members(name, cType, here + ".", group, offset);
        } else if (member instanceof SequenceLayout sequence) {
            String first = here + "[0]";
            size(name + "." + first, cType, first, sequence.elementLayout().byteSize());
            if (sequence.elementLayout() instanceof GroupLayout group) {
                members(name, cType, first + ".", group, offset);
            }
        }
    }

    /// The checks of the numbers that the getters and setters of `type` use. `cType` is the C type of the same name.
    private void accessors(String name, String cType, Class<?> type) {
        Stream.of(type.getMethods())
                .filter(LayoutChecks::takesNothing)
                .sorted(Comparator.comparing(Method::getName))
                .forEach(method -> {
                    String member = method.getName().replaceFirst("\\$(offset|layout)$", "");
                    String of = name + "." + member + " (accessor)";
                    if (method.getName().endsWith("$offset")) {
                        offset(of, cType, member, (long) call(method));
                    } else if (method.getName().endsWith("$layout")) {
                        size(of, cType, member, ((MemoryLayout) call(method)).byteSize());
                    }
                });
    }

    /// A class within a class is the unnamed type of the member that has its name; C says that by `__typeof__`.
    private void nested(Class<?> type, String cType, String path) {
        Stream.of(type.getDeclaredClasses())
                .sorted(Comparator.comparing(Class::getSimpleName))
                .forEach(inner -> layoutOf(inner).ifPresent(layout -> {
                    String here = path + inner.getSimpleName();
                    String innerType = "__typeof__(((" + cType + " *) 0)->" + here + ")";
                    String name = inner.getName()
                            .substring(inner.getName().lastIndexOf('.') + 1)
                            .replace('$', '.');
                    group(name + " (class)", innerType, layout);
                    accessors(name + " (class)", innerType, inner);
                    nested(inner, cType, here + ".");
                }));
    }

    private void offset(String name, String cType, String path, long stated) {
        check(name + " offset", "__builtin_offsetof(" + cType + ", " + path + ")", stated);
    }

    private void size(String name, String cType, String path, long stated) {
        check(name + " size", "sizeof(((" + cType + " *) 0)->" + path + ")", stated);
    }

    /// A name that begins with two underscores belongs to the C library and differs between its versions; the sizes of
    /// the types that contain it do not.
    private void check(String name, String expression, long stated) {
        checks.add(new Check(name, expression, stated, !PRIVATE.matcher(name).find()));
    }

    private static boolean takesNothing(Method method) {
        return Modifier.isStatic(method.getModifiers()) && method.getParameterCount() == 0;
    }

    private static Object call(Method method) {
        try {
            return method.invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("cannot call " + method, e);
        }
    }
}
