package io.tensorferry.it.benchmark.flight;

import java.nio.ByteBuffer;
import org.apache.arrow.flight.Ticket;

/// What both ends agree on.
final class FlightEnd {
    static final String COLUMN = "tensor";

    /// Of HTTP/2's flow control, for each call and for the connection.
    static final int FLOW_CONTROL_BYTES = 8 << 20;

    private FlightEnd() {}

    static Ticket ticket(long bytes) {
        return new Ticket(ByteBuffer.allocate(Long.BYTES).putLong(0, bytes).array());
    }
}
