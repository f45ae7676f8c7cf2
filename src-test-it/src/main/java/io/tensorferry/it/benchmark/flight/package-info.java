/// Tensors over Arrow Flight: each is a record batch of one row, whose only column holds the bytes, and is got by
/// `DoGet` with its length as the ticket.
///
/// Tuned: the producer makes the batch before anybody asks and writes it without a copy, the consumer takes the bytes
/// where Arrow has put them, and the window of flow control is as large as that of the plain gRPC service.
package io.tensorferry.it.benchmark.flight;
