package io.tensorferry.bindings;

/// One number that the bindings state and that C can compute.
///
/// @param name the name for a reader, such as `ibv_wc.imm_data offset`
/// @param expression the C expression of the same number, of an integer type
/// @param stated the bindings' number: bytes, or a constant's value
/// @param required whether headers that lack the name contradict the bindings. They do for a type of the library's;
/// they do not for a
///         constant that a newer version added or for what the C library keeps to itself
record Check(String name, String expression, long stated, boolean required) {}
