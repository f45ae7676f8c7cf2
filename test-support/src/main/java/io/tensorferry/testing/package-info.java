/// Support for the tests of all modules: [io.tensorferry.testing.Property] checks a property with random values of a
/// [io.tensorferry.testing.Draw].
@NullMarked
package io.tensorferry.testing;

import org.jspecify.annotations.NullMarked;
