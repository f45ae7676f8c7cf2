/// Tensors over Arrow Flight. Each tensor is a record batch of one row whose only column holds the bytes; `DoGet`
/// fetches it with its length as the ticket.
///
/// Tuned: the producer builds the batch before any request and writes it without a copy, the consumer uses the bytes in
/// Arrow's memory, and the flow-control window is as large as that of the plain gRPC service.
package io.tensorferry.it.benchmark.flight;
