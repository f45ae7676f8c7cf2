package io.tensorferry.bindings;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.reflect.AccessFlag;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/// The constants of a header class, such as `Ibverbs.IBV_WC_SEND()`.
///
/// They are read from the class file: to call one would initialise the class, and that loads the native library, which
/// a machine that
/// builds the bindings need not have.
final class ConstantChecks {
    private ConstantChecks() {}

    /// A check for each method of `header` that has no parameters and returns a number from its code.
    ///
    /// @param named which of them are constants of the C header
    static List<Check> of(Class<?> header, Predicate<String> named) {
        return ClassFile.of().parse(bytes(header)).methods().stream()
                .filter(method -> method.flags().has(AccessFlag.STATIC)
                        && method.methodTypeSymbol().parameterCount() == 0
                        && named.test(method.methodName().stringValue()))
                .flatMap(method ->
                        value(method).map(value -> check(method.methodName().stringValue(), value)).stream())
                .toList();
    }

    private static Optional<Long> value(MethodModel method) {
        List<Instruction> code = method.code().stream()
                .flatMap(CodeModel::elementStream)
                .flatMap(
                        element -> element instanceof Instruction instruction ? Stream.of(instruction) : Stream.empty())
                .toList();
        if (code.size() != 2
                || !(code.getFirst() instanceof ConstantInstruction constant)
                || !(code.getLast() instanceof ReturnInstruction)) {
            return Optional.empty();
        }
        ConstantDesc value = constant.constantValue();
        return value instanceof Integer || value instanceof Long
                ? Optional.of(((Number) value).longValue())
                : Optional.empty();
    }

    /// Java has no unsigned int: one above its range is negative here, and C is asked for the same bits.
    private static Check check(String name, long stated) {
        String sameBits = "sizeof(%1$s) == 4 ? (long long) (int) (%1$s) : (long long) (%1$s)".formatted(name);
        return new Check(name, sameBits, stated, false);
    }

    private static byte[] bytes(Class<?> type) {
        try (InputStream in = type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
            if (in == null) {
                throw new AssertionError("no class file of " + type);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new AssertionError("cannot read the class file of " + type, e);
        }
    }
}
