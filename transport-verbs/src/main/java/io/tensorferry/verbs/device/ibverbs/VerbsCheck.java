package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.NativeCall;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/// Converts the result of a verb into an exception; each method is named after the verb's error convention. Data-path
/// verbs are checked at the call, because preparing a message allocates an object.
final class VerbsCheck {
    private VerbsCheck() {}

    /// For verbs that return a pointer, or NULL with the error in `errno`.
    static MemorySegment pointerOrErrno(String verb, MemorySegment result, NativeCall call, Supplier<String> doing) {
        if (result.address() == 0) {
            throw new VerbsException(verb, call.errno(), doing.get());
        }
        return result;
    }

    /// For verbs that return 0 or the error number.
    static void returnedErrno(String verb, int result, Supplier<String> doing) {
        if (result != 0) {
            // Some drivers return the negated error number.
            throw new VerbsException(verb, Math.abs(result), doing.get());
        }
    }
}
