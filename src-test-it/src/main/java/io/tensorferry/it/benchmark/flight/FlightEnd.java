package io.tensorferry.it.benchmark.flight;

import java.nio.ByteBuffer;
import org.apache.arrow.flight.Ticket;

/// The common settings of both ends.
final class FlightEnd {
    static final String COLUMN = "tensor";

    /// The window of HTTP/2's flow control, for each call and for the connection.
    static final int FLOW_CONTROL_BYTES = 8 << 20;

    private FlightEnd() {}

    static Ticket ticket(long bytes) {
        return new Ticket(ByteBuffer.allocate(Long.BYTES).putLong(0, bytes).array());
    }
}
