package io.tensorferry.verbs.device.ibverbs;

import io.tensorferry.bindings.NativeCall;
import io.tensorferry.verbs.device.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/// Turns what a verb returned into an exception; each method's name tells the convention that the verb follows. The
/// verbs of the data path are checked where they are called, because a message that is made ready costs an object.
final class VerbsCheck {
    private VerbsCheck() {}

    /// For verbs that return a pointer, or NULL with the reason in `errno`.
    static MemorySegment pointerOrErrno(String verb, MemorySegment result, NativeCall call, Supplier<String> doing) {
        if (result.address() == 0) {
            throw new VerbsException(verb, call.errno(), doing.get());
        }
        return result;
    }

    /// For verbs that return 0 or the error number.
    static void returnedErrno(String verb, int result, Supplier<String> doing) {
        if (result != 0) {
            // Some drivers return it negated.
            throw new VerbsException(verb, Math.abs(result), doing.get());
        }
    }
}
