/// Static and dynamic edges: one-sided transfers between two fixed ends, set up once, without a request per tensor.
package io.tensorferry.api.edge;
